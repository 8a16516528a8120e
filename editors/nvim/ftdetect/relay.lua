vim.filetype.add({ extension = { relay = 'relay', rly = 'relay' } })
