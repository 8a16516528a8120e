-- Other views of a preview: laid out by what belongs together, one function alone, and its steps one by one.
local client = require('relay.client')
local messages = require('relay.messages')
local texts = require('relay.texts')

local M = {}

--- Show two texts as a diff in a tab page of their own.
local function show(title, before, after)
  vim.cmd('tabnew')
  texts.fill('before ' .. title, before)
  texts.name(0, title .. ' before')
  vim.cmd('diffthis')
  vim.cmd('rightbelow vertical new')
  texts.fill('after ' .. title, after)
  texts.name(0, title)
  vim.cmd('diffthis')
  texts.wrap()
  texts.to_change()
end

--- Show what was made beside what it was made of; of one function alone where `only` names it.
local function align(what, source, only)
  local wanted = vim.tbl_extend('force', what, { aligned = only ~= '' and only or true })
  client.request('relay/preview', client.document(source, wanted), function(result)
    if not result.aligned then
      messages.say('Nothing changes any more.')
      return
    end
    local title = table.concat(result.passes, ', ') .. ' aligned' .. (only ~= '' and ' ' .. only or '')
    show(title, result.aligned.before, result.aligned.after)
  end, source)
end

--- Which operators there are more or fewer of after a step.
local function differences(step)
  local parts = {}
  for name, count in pairs(step.operators) do
    parts[#parts + 1] = ('%s %s%d'):format(name, count > 0 and '+' or '−', math.abs(count))
  end
  table.sort(parts)
  return #parts > 0 and table.concat(parts, ', ') or 'the same operators, other statements'
end

--- Let the user choose a step, and show the texts around it; with `all` those that change nothing are listed, too.
local function choose_step(result, all)
  local rows, before = {}, result.before
  for number, step in ipairs(result.steps) do
    local title = ('%d. %s'):format(number, step.call)
    if step.changed then
      rows[#rows + 1] = { title = title, words = differences(step), before = before, after = step.text }
      before = step.text
    elseif all then
      rows[#rows + 1] = { title = title, words = step.skipped or 'changes nothing' }
    end
  end
  vim.ui.select(rows, {
    prompt = 'Steps' .. (all and '' or ' (:RelaySteps! lists all)'),
    format_item = function(row) return row.title .. ': ' .. row.words end,
  }, function(row)
    if row and row.after then
      show(row.title, row.before, row.after)
    elseif row then
      messages.say(row.title .. ' changes nothing.')
    end
  end)
end

--- Give the buffer that shows a preview its commands `:RelayAlign` and `:RelaySteps`.
function M.offer(shown, result, source, what)
  vim.api.nvim_buf_create_user_command(shown, 'RelayAlign', function(given)
    align(what, source, given.args)
  end, { nargs = '?', desc = 'Show what was made beside what it was made of; of one function alone, such as @main' })
  vim.api.nvim_buf_create_user_command(shown, 'RelaySteps', function(given)
    choose_step(result, given.bang)
  end, { bang = true, desc = 'List what each step changed, and show one; with ! also those that change nothing' })
end

return M
