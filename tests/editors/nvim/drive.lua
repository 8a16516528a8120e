-- Drive the plugin in a real Neovim as a person would, and write what was seen to a report.
-- usage: nvim --clean --headless -S drive.lua   (with RELAY_PLUGIN, RELAY_SERVER, RELAY_WORK in the environment)
local work = vim.env.RELAY_WORK
local report = { steps = {} }

local function finish(error_message)
  report.error = error_message
  local file = assert(io.open(work .. '/report.json', 'w'))
  file:write(vim.json.encode(report))
  file:close()
  if error_message then
    vim.cmd('cquit 1')
  else
    vim.cmd('qall!')
  end
end

-- What the plugin says and asks. Answers are given in order: of a list the row that contains one, or what is typed.
local notified, asked = {}, {}
vim.notify = function(message) notified[#notified + 1] = message end

local function answer_with(rows, typed)
  asked, rows, typed = {}, vim.list_slice(rows), vim.list_slice(typed or {})
  vim.ui.select = function(items, options, choose)
    local shown = vim.tbl_map(options.format_item or tostring, items)
    asked[#asked + 1] = { prompt = options.prompt, rows = shown }
    local wanted = table.remove(rows, 1)
    for index, row in ipairs(shown) do
      if wanted and row:find(wanted, 1, true) then
        return choose(items[index], index)
      end
    end
    error(('no %s among %s'):format(wanted, vim.inspect(shown)))
  end
  vim.ui.input = function(options, done)
    asked[#asked + 1] = { prompt = options.prompt, default = options.default }
    done(table.remove(typed, 1))
  end
end

--- The windows beside one another; those that float over them, such as that of the progress, do not count.
local function windows()
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_config(window).relative == ''
  end, vim.api.nvim_tabpage_list_wins(0))
end

local function until_true(what, condition, milliseconds)
  if not vim.wait(milliseconds or 30000, condition, 50) then
    error(('waited in vain for %s; the plugin said %s'):format(what, vim.inspect(notified)))
  end
end

local function buffer_text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n'
end

--- Give a command as if it were typed: what it changes is undone by itself, which a script has to ask for.
local function give(command)
  vim.cmd('let &undolevels = &undolevels')
  vim.cmd(command)
end

--- Wait until the plugin says something.
local function until_said(words)
  until_true(words, function()
    return vim.iter(notified):any(function(message) return message:find(words, 1, true) ~= nil end)
  end)
end

--- Give a command that runs passes, and wait until the plugin says that the last of them is done.
local function run(command, last)
  notified = {}
  give(command)
  until_said(last .. ': ')
end

local function place_cursor(text)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search('\\V' .. text, 'c') > 0, ('no %s in\n%s'):format(text, buffer_text()))
end

local function drive()
  vim.opt.runtimepath:prepend(vim.env.RELAY_PLUGIN)
  vim.cmd('runtime! plugin/relay.lua ftdetect/relay.lua')
  vim.cmd('filetype plugin on')
  require('relay').setup({ cmd = { vim.env.RELAY_SERVER, 'serve' }, settings = { relay = {
    pipeline = {}, pipelines = { tidy = { 'FoldConstant' } },
  } } })

  -- 1. A broken file: the diagnostic stands under the wrong operator.
  vim.cmd('edit ' .. work .. '/broken.relay')
  report.steps.filetype = vim.bo.filetype
  until_true('a diagnostic', function()
    return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) > 0
  end)
  local first = vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })[1]
  report.steps.diagnostic = {
    line = first.lnum, column = first.col, end_column = first.end_col, message = first.message, code = first.code,
  }

  until_true('the virtual text', function()
    for _, namespace in pairs(vim.api.nvim_get_namespaces()) do
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
        if mark[4].virt_text and mark[4].virt_text_pos ~= 'inline' then
          report.steps.virtual_text = (report.steps.virtual_text or '')
            .. table.concat(vim.tbl_map(function(chunk) return chunk[1] end, mark[4].virt_text))
        end
      end
    end
    return report.steps.virtual_text ~= nil
  end)

  -- 2. Hover over an operator: its type.
  vim.cmd('edit ' .. work .. '/batch_norm.relay')
  until_true('the client', function()
    return #vim.lsp.get_clients({ bufnr = 0 }) > 0
  end)
  place_cursor('nn.batch_norm')
  local hovered
  until_true('the hover', function()
    vim.lsp.buf.hover()
    vim.wait(300)
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
        hovered = table.concat(lines, '\n')
        vim.api.nvim_win_close(window, true)
      end
    end
    return hovered ~= nil and hovered:find('Tensor') ~= nil
  end)
  report.steps.hover = hovered

  report.steps.language = dofile(vim.env.RELAY_TESTS .. '/language.lua')(work, until_true, place_cursor, buffer_text)
  vim.cmd('edit ' .. work .. '/batch_norm.relay')

  -- A preview beside the buffer, which stays as it is; behind each new value stands what it comes from.
  local function diff_windows()
    return vim.tbl_filter(function(window) return vim.wo[window].diff end, vim.api.nvim_tabpage_list_wins(0))
  end
  local function texts_of(windows)
    return vim.tbl_map(function(window)
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n') .. '\n'
    end, windows)
  end
  local function notes(buffer)
    local shown = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, vim.api.nvim_create_namespace('relay'), 0, -1, { details = true })) do
      for _, line in ipairs({ mark[4].virt_text or {}, unpack(mark[4].virt_lines or {}) }) do
        for _, chunk in ipairs(line) do
          shown[#shown + 1] = chunk[1]
        end
      end
    end
    return shown
  end
  local function after_preview(command)
    notified = {}
    give(command)
    until_true('the preview', function() return #diff_windows() == 2 and #notified > 0 end)
    local seen = { texts = texts_of(diff_windows()), notes = notes(0), counts = notified[#notified] }
    vim.cmd('tabclose')
    return seen
  end
  report.steps.preview = after_preview('RelayPreview SimplifyInference')

  -- The user goes to another buffer while the passes run: the preview stands beside what it is of all the same.
  notified = {}
  give('RelayPreview SimplifyInference')
  vim.cmd('edit ' .. work .. '/conv2d.relay')
  until_true('the preview', function() return #diff_windows() == 2 and #notified > 0 end)
  report.steps.preview_elsewhere = texts_of(diff_windows())
  vim.cmd('tabclose')
  vim.cmd('buffer batch_norm.relay')

  -- A plugin for messages may be a table that can be called.
  local told = vim.notify
  vim.notify = setmetatable({}, { __call = function(_, message) told(message) end })
  notified = {}
  give('RelayCancel')
  report.steps.said_to_a_table = vim.list_slice(notified)
  vim.notify = told

  -- A preview that is applied, as one change; and one of a buffer that was edited meanwhile.
  local original = buffer_text()
  local function show_preview()
    notified = {}
    give('RelayPreview SimplifyInference')
    until_true('the preview', function() return #diff_windows() == 2 and #notified > 0 end)
  end
  show_preview()
  vim.cmd('RelayCopyCommand')
  report.steps.copied = vim.fn.getreg('"')
  vim.fn.setreg('"', '')
  local shown = texts_of(diff_windows())[2]
  vim.cmd('RelayApply')
  until_true('the applied preview', function() return #vim.api.nvim_list_tabpages() == 1 end)
  report.steps.applied = { shown = shown, text = buffer_text() }
  vim.cmd('silent undo')
  report.steps.unapplied = buffer_text() == original
  show_preview()
  vim.api.nvim_buf_set_lines(vim.api.nvim_win_get_buf(diff_windows()[1]), 0, 0, false, { '// typed meanwhile' })
  notified = {}
  vim.cmd('RelayApply')
  until_said('run this again')
  report.steps.refused = vim.list_slice(notified)
  vim.cmd('tabclose')
  report.steps.kept = buffer_text() == '// typed meanwhile\n' .. original
  vim.cmd('silent undo')

  -- Why a pass decides as it does, at the ends of lines until it is hidden; and the smallest module that still fails.
  local function remarks()
    local labels = vim.tbl_map(function(hint)
      local label = hint.inlay_hint.label
      return type(label) == 'string' and label or label[1].value
    end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
    return vim.tbl_filter(function(label) return label:find('FuseOps:', 1, true) ~= nil end, labels)
  end
  local asked_in = vim.api.nvim_get_current_buf()
  give('RelayRemarks FuseOps')
  vim.cmd('edit ' .. work .. '/conv2d.relay')
  until_true('the hints', function() return vim.lsp.inlay_hint.is_enabled({ bufnr = asked_in }) end)
  report.steps.hints_elsewhere = vim.lsp.inlay_hint.is_enabled({ bufnr = 0 })
  vim.cmd('buffer batch_norm.relay')
  until_true('the remarks', function() return #remarks() > 0 end)
  report.steps.remarks = remarks()
  give('RelayRemarks!')
  until_true('no remarks', function() return #remarks() == 0 end)
  vim.lsp.inlay_hint.enable(false)
  give('RelayReduce FuseOps until takes longer than 0 s')
  until_true('the reduced module', function() return #windows() == 2 end)
  report.steps.reduced = { text = buffer_text(), filetype = vim.bo.filetype, name = vim.fn.expand('%:t') }
  vim.cmd('bwipeout!')

  -- 3. A pass by its command, and one undo.
  local before = buffer_text()
  run('RelayRunPass SimplifyInference', 'SimplifyInference')
  report.steps.pass = { before = before, after = buffer_text() }
  vim.cmd('silent undo')
  report.steps.undo = buffer_text()
  vim.cmd('silent redo')
  local after = buffer_text()

  -- 4. The history: a step compared, two texts compared, any text gone to, and back by one undo.
  report.steps.completion = vim.fn.getcompletion('RelayRunPass Simpl', 'cmdline')
  report.steps.pipeline_completion = vim.fn.getcompletion('RelayRunPipeline SimplifyInference,FoldC', 'cmdline')
  report.steps.named_completion = vim.fn.getcompletion('RelayRunPipeline tid', 'cmdline')
  run('RelayRunPass ToANormalForm', 'ToANormalForm')
  local second = buffer_text()
  answer_with({ 'SimplifyInference', 'Compare before and after' })
  notified = {}
  give('RelayHistory')
  until_true('the step', function() return #diff_windows() == 2 and #notified > 0 end)
  report.steps.history = asked[1]
  report.steps.step = texts_of(diff_windows())
  vim.cmd('tabclose')
  answer_with({ 'the beginning', 'ToANormalForm' })
  notified = {}
  give('RelayDiff')
  until_true('the difference', function() return #diff_windows() == 2 and #notified > 0 end)
  report.steps.two = { texts = texts_of(diff_windows()), counts = notified[#notified], second = second }
  vim.cmd('tabclose')
  answer_with({ 'the beginning' })
  give('RelayGoTo')
  until_true('the first text', function() return buffer_text() == before end)
  vim.cmd('silent undo')
  report.steps.went = { undone = buffer_text() == second }
  give('RelayBack')
  until_true('the text before', function() return buffer_text() == after end)

  -- Replaying on a buffer that was changed by hand.
  vim.cmd('silent undo')
  answer_with({ 'the beginning' })
  give('RelayGoTo')
  until_true('the first text again', function() return buffer_text() == before end)
  vim.cmd([[silent %s/nn\.relu/nn.leaky_relu/]])
  report.steps.replay_preview = after_preview('RelayReplay!')
  answer_with({ 'the beginning', 'Open this text' })
  give('RelayHistory')
  until_true('the earlier text', function() return vim.api.nvim_buf_get_name(0):find('relay-text://', 1, true) ~= nil end)
  report.steps.replay_from_earlier = after_preview('RelayReplay!')
  vim.cmd('tabclose')
  run('RelayReplay', 'ToANormalForm')
  report.steps.replay = buffer_text()
  give('RelayExport')
  until_true('the command line', function() return vim.fn.getreg('"'):find('relay%-lsp opt') ~= nil end)
  report.steps.export = vim.fn.getreg('"')
  give('RelaySavePipeline')
  until_true('the comment', function() return buffer_text():find('// relay%-lsp: ') ~= nil end)
  report.steps.saved = buffer_text()
  vim.cmd('silent undo')

  -- 5. Where a value comes from, and where one of an earlier text went; the list leads to the places.
  place_cursor('sqrt(')
  give('RelayProvenance')
  until_true('the provenance', function() return #vim.fn.getloclist(0) > 0 end)
  report.steps.provenance = {
    entries = vim.tbl_map(function(item) return item.text end, vim.fn.getloclist(0)),
    notes = notes(0),
  }
  vim.cmd('lfirst')
  report.steps.jumped = {
    side = vim.b.relay_text,
    line = vim.api.nvim_get_current_line(),
  }
  place_cursor('nn.batch_norm')
  give('RelayFate')
  until_true('the fate', function() return #notes(0) > 0 end)
  report.steps.fate = {
    entries = vim.tbl_map(function(item) return item.text end, vim.fn.getloclist(0)),
    notes = notes(0),
  }
  vim.cmd('lclose | edit ' .. work .. '/batch_norm.relay')

  -- 6. The form of a pass with an option that must be given, and of one whose options have defaults.
  vim.cmd('edit! ' .. work .. '/conv2d.relay')
  until_true('the client', function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
  answer_with({ 'ConvertLayout' }, { '{"nn.conv2d": ["NHWC", "default"]}' })
  give('RelayRunPass')
  until_true('the layout', function() return buffer_text():find('layout_transform', 1, true) ~= nil end)
  report.steps.required_option = asked
  vim.cmd('silent undo')
  answer_with({ 'FuseOps —', 'fuse_opt_level', 'with these options' }, { '0' })
  give('RelayRunPass')
  until_true('the fusion', function() return buffer_text():find('Primitive=1', 1, true) ~= nil end)
  report.steps.form = { asked = asked, text = buffer_text() }
  vim.cmd('silent undo')

  -- 7. Layers: their colours, their list, and the way from one to the next.
  vim.cmd('edit ' .. work .. '/layers.relay')
  until_true('the client', function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
  local marks = function()
    local namespace = vim.api.nvim_get_namespaces()['relay-layers']
    return namespace and vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true }) or {}
  end
  give('RelayColour layer')
  until_true('the colours', function() return #marks() > 0 end)
  report.steps.colours = vim.tbl_map(function(mark)
    local look = vim.api.nvim_get_hl(0, { name = mark[4].hl_group })
    return { line = mark[2] + 1, bg = look.bg, fg = look.fg, priority = mark[4].priority }
  end, marks())
  vim.api.nvim_win_set_cursor(0, { 3, 2 })
  give('RelayNextLayer')
  until_true('the next layer', function() return vim.api.nvim_win_get_cursor(0)[1] == 4 end)
  give('RelayColour off')
  report.steps.colours_left = #marks()
  give('RelayLayers')
  until_true('the layers', function() return vim.fn.getloclist(0, { title = 0 }).title == 'Relay layers' end)
  report.steps.layers = vim.tbl_map(function(item) return item.text end, vim.fn.getloclist(0))
  report.steps.layer_columns = vim.tbl_map(function(item)
    return vim.fn.getbufline(item.bufnr, item.lnum)[1]:sub(item.col):match('^[%w.]+')
  end, vim.fn.getloclist(0))
  vim.cmd('lclose')
  give('RelayLayers flops')
  until_true('the layers in order', function() return (vim.fn.getloclist(0)[1] or { text = '' }).text:find('torch.exp_2', 1, true) end)
  report.steps.sorted_layers = vim.tbl_map(function(item) return item.text:match('^%S+') end, vim.fn.getloclist(0))
  vim.cmd('lclose')
  place_cursor('exp(')
  give('RelaySelectLayer')
  until_true('the values of the layer', function() return vim.fn.getloclist(0, { title = 0 }).title == 'torch.exp_2' end)
  report.steps.selected_layer = vim.tbl_map(function(item) return item.lnum end, vim.fn.getloclist(0))
  vim.cmd('lclose')

  -- 8. A model of another framework as text, which the server reads as any other.
  give('RelayImport ' .. work .. '/net.onnx')
  until_true('the text of the model', function() return buffer_text():find('nn.leaky_relu', 1, true) ~= nil end, 90000)
  until_true('the client', function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
  report.steps.import = { text = buffer_text(), name = vim.fn.expand('%:t'), filetype = vim.bo.filetype, modified = vim.bo.modified }
  place_cursor('nn.leaky_relu')
  until_true('the node', function()
    if vim.fn.expand('%:t'):find('net.onnx', 1, true) then
      return true
    end
    vim.lsp.buf.definition()
    vim.wait(500)
    return false
  end, 90000)
  report.steps.node = vim.fn.getline('.', vim.fn.line('.') + 3)
  report.steps.models = {}
  for _, name in ipairs({ 'lite.tflite', 'program.pt2' }) do
    notified = {}
    give('RelayImport ' .. work .. '/' .. name)
    local text = vim.fn.fnamemodify(name, ':r') .. '.relay'
    until_true('the text of ' .. name, function() return vim.fn.expand('%:t') == text or #notified > 0 end, 90000)
    report.steps.models[name] = vim.fn.expand('%:t') == text and buffer_text() or table.concat(notified, '\n')
  end
  vim.cmd('edit! ' .. work .. '/net.relay | write | bwipeout!')
  notified = {}
  give('RelayImport ' .. work .. '/net.onnx')
  until_said('is there already')
  notified = {}
  give('RelayImport ' .. work .. '/broken.relay')
  until_said("a model's file ends with")

  local ok, help = pcall(function()
    vim.cmd('helptags ' .. vim.env.RELAY_PLUGIN .. '/doc')
    vim.cmd('help relay-commands')
    return buffer_text()
  end)
  report.steps.help = ok and help or ''
  os.remove(vim.env.RELAY_PLUGIN .. '/doc/tags')
  vim.cmd('checkhealth relay')
  report.steps.health = buffer_text()
  report.steps.status = require('relay').status()
  report.steps.commands = vim.tbl_filter(function(name)
    return vim.startswith(name, 'Relay')
  end, vim.tbl_keys(vim.api.nvim_get_commands({})))
end

local ok, message = xpcall(drive, debug.traceback)
finish(not ok and message or nil)
