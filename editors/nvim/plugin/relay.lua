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
command('RelayReduce', 'passes', 'reduce', { nargs = '?', complete = complete, desc = 'Open the smallest module on which passes still fail: PASSES until CONDITION' })
vim.api.nvim_create_user_command('RelayRemarks', function(given)
  require('relay.passes').show_remarks(given.args, given.bang)
end, { nargs = '?', bang = true, complete = complete, desc = 'Show what passes decide on each value, and why; with ! not any more' })
command('RelayCancel', 'client', 'cancel', { desc = 'Stop the passes that run' })
command('RelayMessages', 'messages', 'show', { desc = 'Show the messages of this session in full' })
command('RelayHistory', 'history', 'show', { desc = 'Choose a text of the pass history, and what to do with it' })
command('RelayDiff', 'history', 'diff_two', { desc = 'Compare two texts of the pass history' })
command('RelayGoTo', 'history', 'go_to', { desc = 'Go to a text of the pass history' })
command('RelayBack', 'history', 'go_back', { desc = 'Go back to the text before the newest pass' })
command('RelayExport', 'history', 'export', { desc = 'Copy the passes of the history as a command line' })
command('RelaySavePipeline', 'history', 'save_pipeline', { desc = 'Write the passes of the history into the file, as its pipeline' })
command('RelayClearHistory', 'history', 'clear', { desc = 'Forget what passes did' })
command('RelayProvenance', 'provenance', 'origins', { desc = 'Where the value under the cursor came from' })
command('RelayFate', 'provenance', 'fate', { desc = 'Where the value of an earlier text went' })
command('RelayColour', 'layers', 'colour', {
  nargs = '?',
  complete = function(lead) return require('relay.layers').complete(lead) end,
  desc = 'Colour values by layer, pass, operator, compiler or dtype, or not any more: off',
})
command('RelayLayers', 'layers', 'list', {
  nargs = '?',
  complete = function(lead) return require('relay.layers').complete_order(lead) end,
  desc = 'List the layers of this buffer, sorted by text, name, values, flops or bytes',
})
command('RelaySelectLayer', 'layers', 'select', { desc = 'List all values of the layer under the cursor' })
command('RelayNextLayer', 'layers', 'go', { desc = 'Go to the next layer' })
vim.api.nvim_create_user_command('RelayPreviousLayer', function()
  require('relay.layers').go('previous')
end, { desc = 'Go to the previous layer' })
vim.api.nvim_create_user_command('RelayNextUse', function()
  require('relay.uses').go()
end, { desc = 'Go to the next use of what is under the cursor: a name, an operator, an attribute' })
vim.api.nvim_create_user_command('RelayPreviousUse', function()
  require('relay.uses').go(true)
end, { desc = 'Go to the previous use of what is under the cursor' })
vim.api.nvim_create_user_command('RelayReplay', function(given)
  require('relay.history').replay(given.bang)
end, { bang = true, desc = 'Run the passes of the history again on the buffer; with ! only show what that would do' })
vim.api.nvim_create_user_command('RelayUpdateTypeComments', function()
  vim.lsp.buf.code_action({ context = { only = { 'source.updateTypeComments.relay' }, diagnostics = {} }, apply = true })
end, { desc = 'Make every type comment say the type that is inferred' })
vim.api.nvim_create_user_command('RelayRestart', function()
  require('relay').restart()
end, { desc = 'Restart the Relay server' })

vim.api.nvim_create_user_command('RelayImport', function(given)
  require('relay.models').import(given.args, given.bang)
end, { nargs = '?', bang = true, complete = 'file', desc = 'Open a model of another framework as Relay text; with ! again' })

vim.api.nvim_create_user_command('RelayInstall', function(given)
  require('relay.server').install(given.bang)
end, { bang = true, desc = 'Install the Relay server for Neovim alone; with ! also where it is installed already' })

-- Where the user's configuration neither calls setup() nor enables the client, the first Relay file does.
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'relay',
  once = true,
  group = vim.api.nvim_create_augroup('relay_defaults', { clear = true }),
  callback = function()
    local function set_up()
      if not require('relay.config').set_up and not (vim.lsp.is_enabled and vim.lsp.is_enabled('relay')) then
        require('relay').setup()
      end
    end
    if vim.v.vim_did_enter == 1 then
      vim.schedule(set_up)
    else
      vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = set_up })
    end
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = 'relay-text://*',
  group = vim.api.nvim_create_augroup('relay_texts', { clear = true }),
  callback = function()
    require('relay.texts').read()
  end,
})
