import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './load.mjs'

document.documentElement.dataset.base = '/base'
const { fileURL, folderOf, folderURL, isName, join, last, numbered, parent, shown } = await load('paths.ts')

test('an address is that of the path, whatever stands in it', () => {
  for (const path of ['a', 'a b', 'a/b', '100%', 'a?b#c', 'a;b=c', '한글/ü', '"\'<&>', '..a', '%2e%2e']) {
    assert.equal(folderOf(new URL(folderURL(path), 'http://host').pathname), path)
    assert.equal(new URL(fileURL(path), 'http://host').search, '')
  }
  assert.equal(folderURL(''), '/base/files/')
})

test('addresses of no folder show none', () => {
  assert.equal(folderOf('/base/'), '')
  assert.equal(folderOf('/base'), '')
  for (const pathname of ['/', '/files/', '/base/files', '/base/files/a', '/base/files/%/', '/base/files/%ff/', '/base/api/']) {
    assert.equal(folderOf(pathname), undefined, pathname)
  }
})

test('a path comes apart and together again', () => {
  for (const path of ['a', 'a/b', 'a/b/c.txt']) assert.equal(join(parent(path), last(path)), path)
  assert.equal(parent('a'), '')
})

test('names are those that the server takes', () => {
  for (const path of ['a', ' a ', 'a/b', '.a', 'a.', '...', 'ü'.repeat(127), '😀']) assert.ok(isName(path), path)
  for (const path of ['', ' ', '.', '..', 'a/../b', 'a//b', '/a', 'a/', 'a\\b', 'a\nb', 'a\0', '\u0085', '\ud800', 'ü'.repeat(128)]) assert.ok(!isName(path), path)
})

test('marks of direction are seen', () => {
  assert.equal(shown('\u202etxt.exe'), '\ufffdtxt.exe')
  assert.equal(shown('한글 ü.txt'), '한글 ü.txt')
})

test('a number stands before the extension', () => {
  assert.equal(numbered('a/b.tar.gz', 1), 'a/b.tar (1).gz')
  assert.equal(numbered('.profile', 2), '.profile (2)')
  assert.equal(numbered('a.b/c', 3), 'a.b/c (3)')
})
