// A look into a file. Nothing of it runs: images, audio and video are shown by
// the browser's own decoders, everything else as plain text.
import { useEffect, useState } from 'preact/hooks'
import * as api from './api'
import { Dialog } from './dialog'
import { faultIn } from './faults'
import { size } from './format'
import { Icon } from './icons'
import { fileURL } from './paths'
import { texts } from './texts'

type Kind = 'image' | 'video' | 'audio' | 'text' | 'none'

const kinds: Record<Exclude<Kind, 'none'>, string> = {
  image: 'png jpg jpeg gif webp avif bmp ico apng',
  video: 'mp4 webm ogv mov m4v',
  audio: 'mp3 ogg oga opus wav flac m4a aac',
  text:
    'txt md markdown log csv tsv json jsonl ndjson xml html htm xhtml svg css js mjs cjs ts tsx jsx go py rb rs c h cc cpp hpp java kt swift php pl lua r sh bash zsh fish ps1 bat sql ' +
    'yaml yml toml ini conf cfg env properties diff patch tex rst adoc srt vtt ics pem crt sum mod lock gitignore dockerfile makefile',
}

// mostText is how much of a text is shown, in bytes.
const mostText = 256_000

function kindOf(name: string): Kind {
  const extension = name.toLowerCase().split('.').at(-1) ?? ''
  for (const [kind, extensions] of Object.entries(kinds)) if (extensions.split(' ').includes(extension)) return kind as Kind
  return 'none'
}

export function Preview({ entry, path, onClose }: { entry: api.Entry; path: string; onClose: () => void }) {
  const kind = kindOf(entry.name)
  const [broken, setBroken] = useState(false)
  const url = fileURL(path)
  const failed = () => setBroken(true)
  return (
    <Dialog title={entry.name} onClose={onClose} className="preview">
      <div class="stage">
        {broken ? (
          <p class="quiet">{texts.previewFailed}</p>
        ) : kind === 'image' ? (
          <img src={url} alt={texts.previewOf(entry.name)} onError={failed} />
        ) : kind === 'video' ? (
          <video src={url} controls preload="metadata" aria-label={texts.previewOf(entry.name)} onError={failed} />
        ) : kind === 'audio' ? (
          <audio src={url} controls preload="metadata" aria-label={texts.previewOf(entry.name)} onError={failed} />
        ) : kind === 'text' ? (
          <Text path={path} name={entry.name} />
        ) : (
          <p class="quiet">{texts.noPreview}</p>
        )}
      </div>
      <footer>
        <span class="quiet">{size(entry.size)}</span>
        <a class="button primary" download href={url} data-first>
          <Icon name="download" /> {texts.downloadFile}
        </a>
      </footer>
    </Dialog>
  )
}

function Text({ path, name }: { path: string; name: string }) {
  const [text, setText] = useState<string>()
  const [note, setNote] = useState('')
  useEffect(() => {
    api.beginning(path, mostText).then(
      ({ content, more }) => {
        setText(new TextDecoder().decode(content))
        setNote(more ? texts.previewCut(content.length) : texts.asText)
      },
      (error: unknown) => setNote(faultIn(error).what),
    )
  }, [path])
  return (
    <>
      {text !== undefined && (
        <pre tabIndex={0} role="region" aria-label={texts.previewOf(name)}>
          {text}
        </pre>
      )}
      <p class="quiet">{note || texts.loading}</p>
    </>
  )
}
