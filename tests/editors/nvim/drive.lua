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

local function until_true(what, condition, milliseconds)
  if not vim.wait(milliseconds or 30000, condition, 50) then
    error('waited in vain for ' .. what)
  end
end

local function buffer_text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n'
end

local function place_cursor(text)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search('\\V' .. text, 'c') > 0, 'no ' .. text)
end

local function drive()
  vim.opt.runtimepath:prepend(vim.env.RELAY_PLUGIN)
  vim.cmd('runtime! plugin/relay.lua ftdetect/relay.lua')
  vim.cmd('filetype plugin on')
  require('relay').setup({ cmd = { vim.env.RELAY_SERVER, 'serve' }, settings = { relay = { pipeline = {} } } })

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

  -- A preview beside the buffer, which stays as it is.
  local function diff_windows()
    return vim.tbl_filter(function(window) return vim.wo[window].diff end, vim.api.nvim_tabpage_list_wins(0))
  end
  local function texts_of(windows)
    return vim.tbl_map(function(window)
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n') .. '\n'
    end, windows)
  end
  vim.cmd('RelayPreview SimplifyInference')
  until_true('the preview', function() return #diff_windows() == 2 end)
  report.steps.preview = texts_of(diff_windows())
  vim.cmd('tabclose')

  -- 3. A pass by its command, and one undo.
  local before = buffer_text()
  vim.cmd('RelayRunPass SimplifyInference')
  until_true('the pass', function()
    return not buffer_text():find('nn.batch_norm', 1, true)
  end)
  report.steps.pass = { before = before, after = buffer_text() }
  vim.cmd('silent undo')
  report.steps.undo = buffer_text()
  vim.cmd('silent redo')

  -- 4. The history names the step, and the completion of the command names the passes.
  report.steps.completion = vim.fn.getcompletion('RelayRunPass Simpl', 'cmdline')
  local listed
  vim.ui.select = function(items, _, choose)
    listed = vim.tbl_map(function(step) return step.pass end, items)
    choose(nil)
  end
  vim.cmd('RelayHistory')
  until_true('the history', function() return listed ~= nil end)
  report.steps.history = listed
  -- A chosen step opens as a diff; going back gives the text before it, and one undo takes that back.
  vim.ui.select = function(items, _, choose) choose(items[#items]) end
  vim.cmd('RelayHistory')
  until_true('the step', function() return #diff_windows() == 2 end)
  report.steps.step = texts_of(diff_windows())
  vim.cmd('tabclose')
  local after = buffer_text()
  vim.cmd('RelayBack')
  until_true('the text before', function() return buffer_text() == before end)
  vim.cmd('silent undo')
  report.steps.back = { undone = buffer_text() == after }
  report.steps.pipeline_completion = vim.fn.getcompletion('RelayRunPipeline SimplifyInference,FoldC', 'cmdline')
  local ok, help = pcall(function()
    vim.cmd('helptags ' .. vim.env.RELAY_PLUGIN .. '/doc')
    vim.cmd('help relay-commands')
    return buffer_text()
  end)
  report.steps.help = ok and help:find('RelayRunPass') ~= nil
  os.remove(vim.env.RELAY_PLUGIN .. '/doc/tags')
end

local ok, message = xpcall(drive, debug.traceback)
finish(not ok and message or nil)
