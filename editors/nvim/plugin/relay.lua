if vim.g.loaded_relay then
  return
end
vim.g.loaded_relay = true

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, run, options)
end

local function complete(lead)
  return require('relay').complete(lead)
end

command('RelayRunPass', function(given)
  require('relay').run_pass(given.args)
end, { nargs = '?', complete = complete, desc = 'Run a compiler pass on this buffer' })
command('RelayRunPipeline', function(given)
  require('relay').run_pipeline(given.args)
end, { nargs = '?', complete = complete, desc = 'Run passes, separated by commas, on this buffer' })
command('RelayPreview', function(given)
  require('relay').preview(given.args)
end, { nargs = '?', complete = complete, desc = 'Show what passes would do as a diff' })
command('RelayHistory', function()
  require('relay').history()
end, { desc = 'Choose a step of the pass history and compare its texts' })
command('RelayBack', function()
  require('relay').go_back()
end, { desc = 'Go back to the text before the newest pass' })
command('RelayRestart', function()
  require('relay').restart()
end, { desc = 'Restart the Relay server' })
