-- Read by vim.lsp.config (Neovim 0.11 and later).
return require('relay.config').client(require('relay.server').find() or { 'relay-lsp', 'serve' })
