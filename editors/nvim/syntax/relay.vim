" Colours without the server; semantic tokens refine them.
if exists('b:current_syntax') | finish | endif
syntax keyword relayKeyword if else match let fn extern free_var def type ref ref_read ref_write
syntax keyword relayConstant True False None
syntax match relayDtype /\<\%(\%(float\|int\|uint\|bfloat\)\d\+\%(x\d\+\)\?\|bool\|Tensor\)\>/
syntax match relayNumber /\%([A-Za-z_%@.]\)\@<!-\?\<\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?\%(f\d*\|[iu]\d\+\)\?\>/
syntax match relayGlobal /@[A-Za-z_][A-Za-z_0-9.]*/
syntax match relayLocal /%[A-Za-z_0-9]\+\%(\.[A-Za-z_0-9]\+\)*/
syntax match relayOperator /\<[a-z_][A-Za-z_0-9]*\%(\.[A-Za-z_0-9]\+\)*\ze(/
syntax match relayAttribute /\<[A-Za-z_][A-Za-z_0-9]*\ze=[^=>]/
syntax region relayString start=/"/ skip=/\\./ end=/"/
syntax match relayLineComment /\/\/.*$/
syntax region relayComment start=/\/\*/ end=/\*\// contains=relayComment
syntax match relayVersion /#\[\%(version\|metadata\)[^\]]*\]/
highlight default link relayKeyword Keyword
highlight default link relayConstant Constant
highlight default link relayDtype Type
highlight default link relayNumber Number
highlight default link relayGlobal Function
highlight default link relayLocal Identifier
highlight default link relayOperator Function
highlight default link relayAttribute Special
highlight default link relayString String
highlight default link relayLineComment Comment
highlight default link relayComment Comment
highlight default link relayVersion PreProc
let b:current_syntax = 'relay'
