-- The texts that a buffer has had, and what led from each to the next.
local client = require('relay.client')
local passes = require('relay.passes')
local texts = require('relay.texts')
local messages = require('relay.messages')

local M = {}

--- The buffer that is meant: the current one, or the one whose earlier text it shows.
local function source()
  local moment = texts.moment(0)
  return moment and moment.buffer or vim.api.nvim_get_current_buf()
end

local function label(text)
  if text.side == 'before' then
    return 'the beginning'
  elseif text.step.kind == 'edit' then
    return 'edited by hand'
  end
  return text.step.call .. (text.step['function'] ~= '' and ' on ' .. text.step['function'] or '')
end

local function described(text)
  local notes = {}
  if text.side == 'after' and text.step.kind == 'pass' then
    notes[#notes + 1] = ('%.1f ms'):format(text.step.milliseconds)
  end
  if text.side == 'after' and not text.step.applied then
    notes[#notes + 1] = 'taken back'
  end
  if text.side == 'after' and text.step.byName then
    notes[#notes + 1] = 'asked for by name: ' .. text.step.byName
  end
  for name, why in pairs(text.side == 'after' and text.step.skipped or {}) do
    notes[#notes + 1] = name .. ' was skipped: ' .. why
  end
  if text.current then
    notes[#notes + 1] = text.edited and 'edited since' or 'the buffer'
  end
  return label(text) .. (#notes > 0 and '  (' .. table.concat(notes, ', ') .. ')' or '')
end

--- Ask for the texts of a buffer's history, the first one first.
local function all(buffer, callback)
  client.request('relay/history', client.document(buffer), function(found)
    if #found.steps == 0 then
      messages.say('No pass has changed this buffer yet.')
      return
    end
    local list = { { step = found.steps[1], side = 'before', current = found.current == 0, edited = found.edited } }
    for index, step in ipairs(found.steps) do
      list[#list + 1] = { step = step, side = 'after', current = found.current == index, edited = found.edited }
    end
    callback(list)
  end, buffer)
end

local function choose(list, prompt, callback)
  vim.ui.select(list, { prompt = prompt, format_item = described }, function(text)
    if text then
      callback(text)
    end
  end)
end

local function address(buffer, text)
  return texts.address(buffer, text.step, text.side)
end

--- Show two texts side by side, the second one the buffer where none is given, and what became of the operators.
local function compare(buffer, first, second)
  texts.diff(address(buffer, first), second and address(buffer, second) or buffer)
  local function moment(text)
    return text and { id = text.step.id, side = text.side }
  end
  local between = client.document(buffer, { before = moment(first), after = moment(second) })
  client.request('relay/historyDifference', between, function(difference)
    messages.say(passes.counts(difference.operators))
  end, buffer)
end

--- Compare the text before and after a step.
local function show_step(buffer, text)
  compare(buffer, { step = text.step, side = 'before' }, { step = text.step, side = 'after' })
end

--- Give the buffer a text of its history, as one change that `u` undoes.
local function go_to(buffer, text)
  client.execute('relay-lsp.goToStep', { id = text.step.id, side = text.side }, buffer)
end

local actions = {
  { 'Compare before and after', show_step },
  { 'Open this text', function(buffer, text)
    vim.cmd('tab split ' .. vim.fn.fnameescape(address(buffer, text)))
  end },
  { 'Compare with another text', function(buffer, text)
    all(buffer, function(list)
      choose(list, 'Compare ' .. label(text) .. ' with which text?', function(other)
        compare(buffer, text, other)
      end)
    end)
  end },
  { 'Compare with the buffer', function(buffer, text) compare(buffer, text, nil) end },
  { 'Go to this text', go_to },
  { 'Replay this pass on the buffer', function(buffer, text)
    client.execute('relay-lsp.replay', { steps = { text.step.id } }, buffer)
  end },
}

--- Choose a text of this buffer's history, and what to do with it.
function M.show()
  local buffer = source()
  all(buffer, function(list)
    choose(list, 'Relay pass history', function(text)
      local possible = vim.tbl_filter(function(action)
        local of_a_pass = action[1]:find('before and after') or action[1]:find('Replay')
        return not of_a_pass or (text.side == 'after' and (text.step.kind == 'pass' or not action[1]:find('Replay')))
      end, actions)
      vim.ui.select(possible, {
        prompt = label(text),
        format_item = function(action) return action[1] end,
      }, function(action)
        if action then
          action[2](buffer, text)
        end
      end)
    end)
  end)
end

--- Choose two texts of the history and compare them.
function M.diff_two()
  local buffer = source()
  all(buffer, function(list)
    choose(list, 'Compare which text?', function(first)
      local others = vim.tbl_filter(function(text) return text ~= first end, list)
      choose(others, 'Compare ' .. label(first) .. ' with which text?', function(second)
        compare(buffer, first, second)
      end)
    end)
  end)
end

--- Choose a text of the history and give it to the buffer.
function M.go_to()
  local buffer = source()
  all(buffer, function(list)
    choose(list, 'Go to which text?', function(text) go_to(buffer, text) end)
  end)
end

--- Give the buffer the text it had before the newest step.
function M.go_back()
  local buffer = source()
  all(buffer, function(list)
    for index, text in ipairs(list) do
      if text.current and index > 1 then
        go_to(buffer, { step = text.step, side = 'before' })
      end
    end
  end)
end

--- Run the passes of the history again on the buffer as it is; `preview` only shows what that would do.
function M.replay(preview)
  local buffer = source()
  all(buffer, function(list)
    local steps = {}
    for _, text in ipairs(list) do
      if text.side == 'after' and text.step.kind == 'pass' then
        steps[#steps + 1] = text.step.id
      end
    end
    if #steps == 0 then
      messages.say('There is no pass in this history.')
    elseif preview then
      passes.preview_of({ steps = steps }, buffer)
    else
      client.execute('relay-lsp.replay', { steps = steps }, buffer)
    end
  end)
end

--- Copy the command line that does the same as the history, into the unnamed register and the clipboard.
function M.export()
  local buffer = source()
  client.request('relay/exportPipeline', client.document(buffer), function(exported)
    vim.fn.setreg('"', exported.command)
    pcall(vim.fn.setreg, '+', exported.command)
    messages.say(exported.command)
  end, buffer)
end

--- Write the passes of the history into the comment of the file that names its pipeline.
function M.save_pipeline()
  local buffer = source()
  client.request('relay/exportPipeline', client.document(buffer), function(exported)
    if #exported.passes == 0 then
      messages.say('There is no pass in this history.')
      return
    end
    local first = vim.api.nvim_buf_get_lines(buffer, 0, 60, false)
    local start, stop = vim.startswith(first[1] or '', '#[version') and 1 or 0, nil
    for index, line in ipairs(first) do
      if line:match('^%s*//%s*relay%-lsp:') then
        start, stop = index - 1, index
        break
      end
    end
    vim.api.nvim_buf_set_lines(buffer, start, stop or start, false, { exported.comment })
  end, buffer)
end

--- Forget the history of every buffer, if the user says so: nothing brings it back.
function M.clear()
  if vim.fn.confirm('Clear the pass history of all Relay texts? It cannot be restored.', '&Clear\n&Keep', 2) ~= 1 then
    return
  end
  client.request('workspace/executeCommand', { command = 'relay-lsp.clearHistory', arguments = {} }, nil, source())
end

return M
