vim.bo.commentstring = '// %s'
vim.bo.comments = '://,s1:/*,mb:*,ex:*/'
vim.bo.shiftwidth = 2
vim.bo.expandtab = true
local lines = require('relay.config').options.fold_heads
if lines > 0 and vim.bo.buftype == '' then
  require('relay.folds').fold(lines)
end
vim.b.undo_ftplugin = 'setlocal commentstring< comments< shiftwidth< expandtab< foldmethod< foldexpr< foldtext< foldminlines< foldlevel<'
