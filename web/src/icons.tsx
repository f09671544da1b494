// The page's own icons, 20 by 20, drawn in the colour of the text.
const shapes = {
  folder: 'M2.5 5.5a1.5 1.5 0 0 1 1.5-1.5h3.4l1.8 2H16a1.5 1.5 0 0 1 1.5 1.5v7A1.5 1.5 0 0 1 16 16H4a1.5 1.5 0 0 1-1.5-1.5z',
  file: 'M5 2.5h6l4 4v9.5a1.5 1.5 0 0 1-1.5 1.5h-8.5a1.5 1.5 0 0 1-1.5-1.5v-12A1.5 1.5 0 0 1 5 2.5zM11 2.5v4h4',
  download: 'M10 3v9m-4-3.5 4 4 4-4M3.5 16.5h13',
  upload: 'M10 13V4m-4 3.5 4-4 4 4M3.5 16.5h13',
  link: 'M8.5 11.5a3 3 0 0 0 4.3 0l2.8-2.8a3 3 0 0 0-4.3-4.3L10 5.700M11.500 8.500a3 3 0 0 0-4.3 0L4.400 11.300a3 3 0 0 0 4.3 4.3L10 14.300',
  rename: 'M4 16l.8-3.500 8.400-8.400a1.400 1.400 0 0 1 2 0l.7.7a1.400 1.400 0 0 1 0 2L7.500 15.200z',
  remove: 'M3.500 5.500h13M8 5.500V3.500h4v2M5 5.500l.8 11h8.400l.8-11M8.500 8.500v5M11.500 8.500v5',
  share: 'M14.500 7a2.250 2.250 0 1 0 0-4.500 2.250 2.250 0 0 0 0 4.500zM5.500 12.250a2.250 2.250 0 1 0 0-4.500 2.250 2.250 0 0 0 0 4.500zM14.500 17.500a2.250 2.250 0 1 0 0-4.500 2.250 2.250 0 0 0 0 4.500zM7.500 8.900l5-3M7.500 11.100l5 3',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  pause: 'M7 5v10M13 5v10',
  play: 'M7 4.500v11l8.500-5.500z',
  retry: 'M16 10a6 6 0 1 1-1.800-4.300M16.500 3v3.500H13',
  close: 'M5 5l10 10M15 5L5 15',
  check: 'M4.500 10.500l3.500 3.500 7.500-8',
  warn: 'M10 3l8 13.500H2zM10 8v4M10 14.200v.1',
  sun: 'M10 6.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7zM10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600L16 16M4 16l1.400-1.400M14.600 5.400L16 4',
  moon: 'M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500z',
  up: 'M5.500 12l4.500-4.500 4.500 4.500',
  down: 'M5.500 8l4.500 4.500 4.500-4.500',
  plus: 'M10 4v12M4 10h12',
} as const

export type IconName = keyof typeof shapes

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
)

// IconButton is a button that shows an icon alone, and says in words what it does.
export const IconButton = ({ icon, label, onClick, className = '' }: { icon: IconName; label: string; onClick: () => void; className?: string }) => (
  <button type="button" class={`icon-button ${className}`} aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} />
  </button>
)
