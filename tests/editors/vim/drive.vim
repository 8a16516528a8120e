" Drive ALE with the recipe of docs/editors.md, and write what was seen to a report.
" usage: vim -u NONE -N -es -S drive.vim   (with RELAY_WORK, RELAY_ALE and the recipe in RELAY_WORK/recipe.vim)
let s:report = {}

function! s:Until(what, Condition) abort
  for s:try in range(300)
    if a:Condition()
      return
    endif
    sleep 100m
  endfor
  throw 'waited in vain for ' . a:what
endfunction

function! s:Write(report) abort
  call writefile([json_encode(a:report)], $RELAY_WORK . '/report.json')
endfunction

try
  set nocompatible hidden shortmess+=A
  filetype plugin on
  syntax on
  execute 'set runtimepath^=' . fnameescape($RELAY_ALE)
  execute 'source ' . fnameescape($RELAY_ALE . '/plugin/ale.vim')
  " The menu of actions is for a person; here the only fix is wanted.
  let g:ale_hover_to_preview = 1
  execute 'source ' . fnameescape($RELAY_WORK . '/recipe.vim')
  execute 'edit ' . fnameescape($RELAY_WORK . '/broken.relay')
  let s:report.filetype = &filetype
  call ale#Queue(0, '')
  call s:Until('a diagnostic', {-> !empty(getloclist(0))})
  let s:found = getloclist(0)[0]
  let s:report.diagnostic = {'line': s:found.lnum, 'column': s:found.col, 'text': s:found.text, 'type': s:found.type}
  let s:report.colours = map(['nn', '%x'], {_, word -> synIDattr(synID(search('\V' . word, 'w'), col('.'), 1), 'name')})

  call cursor(4, 4)
  ALEHover
  call s:Until('the hover', {-> &previewwindow || !empty(filter(range(1, winnr('$')), {_, w -> getwinvar(w, '&previewwindow')}))})
  for s:window in range(1, winnr('$'))
    if getwinvar(s:window, '&previewwindow')
      let s:report.hover = join(getbufline(winbufnr(s:window), 1, '$'), "\n")
    endif
  endfor
  pclose

  execute bufwinnr('broken.relay') . 'wincmd w'
  call cursor(4, 8)
  ALEGoToDefinition
  call s:Until('the definition', {-> line('.') == 3})
  let s:report.definition = line('.')

  " ALE shows a list of actions and asks for a number; a person would type the one of the fix.
  runtime autoload/ale/util.vim
  function! ale#util#Input(message, ...) abort
    let s:report.actions = a:message
    return '1'
  endfunction
  call cursor(s:found.lnum, s:found.col)
  ALECodeAction
  call s:Until('the fix', {-> getline(3) =~# 'nn\.relu('})
  let s:report.fixed = join(getline(1, '$'), "\n") . "\n"
catch
  let s:report.error = v:exception . ' at ' . v:throwpoint
endtry
call s:Write(s:report)
qall!
