if vim.g.loaded_relay then
  return
end
vim.g.loaded_relay = true

local function command(name, module, run, options)
  vim.api.nvim_create_user_command(name, function(given)
    require('relay.' .. module)[run](given.args)
  end, options)
end

local function complete(lead)
  return require('relay.passes').complete(lead)
end

command('RelayRunPass', 'passes', 'run_pass', { nargs = '?', complete = complete, desc = 'Run a compiler pass on this buffer' })
command('RelayRunPipeline', 'passes', 'run_pipeline', { nargs = '?', complete = complete, desc = 'Run passes, separated by commas, or a pipeline of the settings' })
command('RelayPreview', 'passes', 'preview', { nargs = '?', complete = complete, desc = 'Show what passes would do as a diff' })
command('RelayVerify', 'passes', 'verify', { nargs = '?', complete = complete, desc = 'Compute the module before and after passes, and compare' })
command('RelayHistory', 'history', 'show', { desc = 'Choose a text of the pass history, and what to do with it' })
command('RelayDiff', 'history', 'diff_two', { desc = 'Compare two texts of the pass history' })
command('RelayGoTo', 'history', 'go_to', { desc = 'Go to a text of the pass history' })
command('RelayBack', 'history', 'go_back', { desc = 'Go back to the text before the newest pass' })
command('RelayExport', 'history', 'export', { desc = 'Copy the passes of the history as a command line' })
command('RelaySavePipeline', 'history', 'save_pipeline', { desc = 'Write the passes of the history into the file, as its pipeline' })
command('RelayClearHistory', 'history', 'clear', { desc = 'Forget what passes did' })
command('RelayProvenance', 'provenance', 'origins', { desc = 'Where the value under the cursor came from' })
command('RelayFate', 'provenance', 'fate', { desc = 'Where the value of an earlier text went' })
vim.api.nvim_create_user_command('RelayReplay', function(given)
  require('relay.history').replay(given.bang)
end, { bang = true, desc = 'Run the passes of the history again on the buffer; with ! only show what that would do' })
vim.api.nvim_create_user_command('RelayRestart', function()
  require('relay').restart()
end, { desc = 'Restart the Relay server' })

vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = 'relay-text://*',
  group = vim.api.nvim_create_augroup('relay_texts', { clear = true }),
  callback = function()
    require('relay.texts').read()
  end,
})
