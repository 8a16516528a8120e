-- Choosing passes with their options, running them, and looking at what they would do.
local client = require('relay.client')
local config = require('relay.config')
local texts = require('relay.texts')
local messages = require('relay.messages')

local M = {}

local described

--- Every pass with its documentation and options; asked for once.
local function known_passes()
  described = described or client.request_sync('relay/passes', vim.empty_dict())
  return described or {}
end

--- Forget the passes: another server may have others.
function M.forget()
  described = nil
end

--- What an option is by default; nil where it must be given, which is null in JSON: what that becomes has changed.
local function default_of(option)
  return option.default ~= vim.NIL and option.default or nil
end

--- Ask for the value of an option, in the notation of pipelines; nil to `callback` where the user leaves it.
local function ask_for(pass, option, current, callback)
  local default = default_of(option)
  local value = current or default
  local title = pass.name .. ': ' .. option.name
  local choices = option.kind == 'True or False' and { 'True', 'False' }
    or vim.tbl_map(function(choice) return '"' .. choice .. '"' end, option.choices)
  if #choices > 0 then
    vim.ui.select(choices, { prompt = title .. ' (' .. (value or 'required') .. ')' }, callback)
    return
  end
  vim.ui.input({ prompt = title .. ' (' .. option.kind .. '): ', default = value or '' }, function(typed)
    typed = typed and vim.trim(typed)
    if typed == '' then
      typed = default
    elseif typed and option.kind == 'an integer' and not typed:match('^%-?%d+$') then
      messages.say(option.name .. ' is an integer.', vim.log.levels.WARN)
      typed = nil
    end
    callback(typed)
  end)
end

--- The form of a pass: first what must be given, then its options with their values, of which any can be changed.
local function fill_in(pass, callback)
  local values, required, optional = {}, {}, {}
  for _, option in ipairs(pass.options) do
    -- What takes a function of a program cannot be written in an editor.
    if not option.kind:find('%f[%w]function%f[%W]') then
      table.insert(default_of(option) and optional or required, option)
    end
  end

  local function finish()
    local given = {}
    for _, option in ipairs(pass.options) do
      local value = values[option.name]
      if value and value ~= default_of(option) then
        given[#given + 1] = option.name .. '=' .. value
      end
    end
    callback(#given > 0 and pass.name .. '[' .. table.concat(given, ', ') .. ']' or pass.name)
  end

  local function form()
    if #optional == 0 then
      return finish()
    end
    local rows = { false }
    vim.list_extend(rows, required)
    vim.list_extend(rows, optional)
    vim.ui.select(rows, {
      prompt = pass.name .. ': options',
      format_item = function(option)
        if not option then
          return pass.name .. ' with these options'
        end
        return ('%s = %s  (%s)'):format(option.name, values[option.name] or option.default, option.documentation)
      end,
    }, function(option, index)
      if index == 1 then
        finish()
      elseif option then
        ask_for(pass, option, values[option.name], function(value)
          values[option.name] = value or values[option.name]
          form()
        end)
      end
    end)
  end

  local function ask_required(index)
    local option = required[index]
    if not option then
      return form()
    end
    ask_for(pass, option, nil, function(value)
      if value then
        values[option.name] = value
        ask_required(index + 1)
      end
    end)
  end
  ask_required(1)
end

--- Let the user choose a pass and fill in its options; gives `Name[option=value]`.
local function choose_pass(callback)
  vim.ui.select(known_passes(), {
    prompt = 'Relay pass',
    format_item = function(pass)
      return pass.name .. ' — ' .. pass.summary
    end,
  }, function(pass)
    if pass then
      fill_in(pass, callback)
    end
  end)
end

--- What a command line names: a pipeline of the settings, passes, or nothing, which is the buffer's own pipeline.
local function pipeline(text)
  text = vim.trim(text or '')
  if text == '' then
    return {}
  elseif (config.options.settings.relay.pipelines or {})[text] then
    return { name = text }
  end
  return { passes = text }
end

--- Run one pass, `Name` or `Name[option=value]`; without a name, choose one.
function M.run_pass(pass)
  if pass and pass ~= '' then
    client.execute('relay-lsp.runPipeline', { passes = { pass } })
    return
  end
  local buffer = vim.api.nvim_get_current_buf()
  choose_pass(function(call)
    client.execute('relay-lsp.runPipeline', { passes = { call } }, buffer)
  end)
end

--- Run a pipeline: passes, one of the settings by its name, or the one of the file or of saving.
function M.run_pipeline(text)
  client.execute('relay-lsp.runPipeline', pipeline(text))
end

--- Compute the module before and after each pass of a pipeline on random inputs, and tell whether they differ.
function M.verify(text)
  client.execute('relay-lsp.verify', pipeline(text))
end

--- Show beside the values what passes decide on them, and why; with `hide`, take that away again.
function M.show_remarks(text, hide)
  local buffer = vim.api.nvim_get_current_buf()
  client.execute('relay-lsp.showRemarks', hide and { hide = true } or pipeline(text), buffer, function()
    -- Hints are shown where the user asked for them; Neovim has them from 0.10 on.
    if not hide and vim.lsp.inlay_hint then
      vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
    end
  end)
end

--- Open the smallest module on which passes still fail: `PASSES until CONDITION`; without a condition, until they raise.
function M.reduce(text)
  local passes, condition = vim.trim(text or ''):match('^(.-)%s*%f[%w]until%s+(.+)$')
  local asked = pipeline(passes or text)
  asked['until'] = condition or 'raises'
  local stem, number = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':r') .. '.reduced', 1
  while vim.fn.bufexists(stem .. number .. '.relay') == 1 or vim.fn.filereadable(stem .. number .. '.relay') == 1 do
    number = number + 1
  end
  client.execute('relay-lsp.reduce', asked, nil, function(answer)
    if answer and type(answer.text) == 'string' then
      -- A name beside the file lets the same server look at it, and `:write` keep it.
      vim.cmd('rightbelow vertical new')
      vim.api.nvim_buf_set_name(0, stem .. number .. '.relay')
      vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split((answer.text:gsub('\n$', '')), '\n', { plain = true }))
      vim.bo.filetype = 'relay'
    end
  end)
end

--- Which operators there are more or fewer of, in a line.
function M.counts(operators)
  local parts = vim.tbl_map(function(count)
    return ('%s %d → %d'):format(count.name, count.before, count.after)
  end, operators)
  return #parts > 0 and table.concat(parts, ', ') or 'every operator stays'
end

--- Show what passes would make of the buffer as a diff beside it, and behind each new value what it comes from.
function M.preview(text)
  if vim.trim(text or '') == '' then
    choose_pass(M.preview)
    return
  end
  M.preview_of(pipeline(text))
end

--- Give the buffer that shows a preview its commands: `:RelayApply`, `:RelayCopyCommand` and those of other views.
local function offer(result, source, what)
  local shown = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_create_user_command(shown, 'RelayApply', function()
    -- The version tells the server to refuse where the buffer has been edited since.
    local asked = { passes = result.passes, version = result.version }
    client.execute('relay-lsp.runPipeline', asked, source, function(answer)
      local window = vim.fn.bufwinid(shown)
      if answer and answer.applied and window ~= -1 then
        vim.api.nvim_win_call(window, function() vim.cmd('tabclose') end)
      end
    end)
  end, { desc = 'Run the passes whose result is shown here' })
  vim.api.nvim_buf_create_user_command(shown, 'RelayCopyCommand', function()
    vim.fn.setreg('"', result.command)
    messages.say(result.command)
  end, { desc = 'Copy the command line that does what is shown here' })
  require('relay.previews').offer(shown, result, source, what)
end

--- Show what the server would do with `source`, or the current buffer, when asked for `what`: passes, a named pipeline,
--- or steps of the history.
function M.preview_of(what, source)
  source = source or vim.api.nvim_get_current_buf()
  client.request('relay/preview', client.document(source, what), function(result)
    local encoding = (client.find(source, true) or {}).offset_encoding
    local title = table.concat(result.passes, ', ')
    if result.failed and result.failed ~= vim.NIL then
      messages.say(result.failed, vim.log.levels.ERROR)
      return
    elseif not result.changed then
      messages.say(title .. ' changes nothing here.')
      return
    end
    vim.cmd('tab split')
    -- Another buffer may have come into the window while the passes ran.
    vim.api.nvim_win_set_buf(0, source)
    vim.cmd('diffthis')
    vim.cmd('rightbelow vertical new')
    texts.fill('preview ' .. title, result.after)
    texts.name(0, title)
    offer(result, source, what)
    vim.cmd('diffthis')
    texts.wrap()
    local before = vim.split(result.before, '\n', { plain = true })
    for _, value in ipairs(result.values) do
      local from = vim.tbl_map(function(range)
        return texts.excerpt(before, range, encoding)
      end, value.from)
      local note = table.concat(value.passes, ', ') .. (#from > 0 and ' from ' .. table.concat(from, ' and ') or ', new')
      texts.annotate(0, value.range, '← ' .. note, encoding)
    end
    texts.to_change()
    messages.say(title .. ': ' .. M.counts(result.operators))
  end, source)
end

--- The names of passes and pipelines, for the command line's completion.
function M.complete(lead)
  -- In a pipeline the names before the last comma are done.
  local done, begun = lead:match('^(.*,%s*)([^,]*)$')
  done, begun = done or '', (begun or lead):lower()
  local found = {}
  for _, pass in ipairs(known_passes()) do
    if vim.startswith(pass.name:lower(), begun) then
      found[#found + 1] = done .. pass.name
    end
  end
  for name in pairs(config.options.settings.relay.pipelines or {}) do
    if done == '' and vim.startswith(name:lower(), begun) then
      found[#found + 1] = name
    end
  end
  return found
end

return M
