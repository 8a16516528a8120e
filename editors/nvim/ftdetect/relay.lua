if vim.fn.has('nvim-0.8') == 1 then
  vim.filetype.add({ extension = { relay = 'relay', rly = 'relay' } })
else
  -- Before 0.8 only those who asked for it have filetypes found by Lua.
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, { pattern = { '*.relay', '*.rly' }, command = 'setfiletype relay' })
end
