-- Folding of long heads: the parameters of a function, many lines or one that fills the screen, before its body.
local M = {}

--- The level of a line for 'foldexpr': the head of a function, up to the brace that opens its body, is one fold.
function M.level(number)
  if vim.fn.getline(number):match('^%s*def%s+@') then
    return '>1'
  end
  local inside = number > 1 and vim.fn.foldlevel(number - 1) > 0 and not vim.fn.getline(number - 1):find('{%s*$')
  return inside and 1 or 0
end

--- The words for a folded head: its name, how many parameters are hidden, and what the function gives.
function M.text()
  local lines = vim.fn.getline(vim.v.foldstart, vim.v.foldend)
  local head = table.concat(lines, ' ')
  local name = head:match('^%s*def%s+@[%w_.]+') or lines[1]
  local _, count = head:gsub('%%[%w_.]+%s*:', '')
  local result = head:match('%)%s*(%->[^()]*{)%s*$') or head:match('%)%s*(%->.-{)%s*$') or '{'
  return ('%s(… %d parameters …) %s'):format(name, count, #result < 80 and result or '{')
end

--- Fold the heads in the current window that take more than so many lines of the screen, unless the user folds by something else.
function M.fold(lines)
  if vim.wo.foldmethod ~= 'manual' then
    return
  end
  vim.wo.foldmethod = 'expr'
  vim.wo.foldexpr = "v:lua.require'relay.folds'.level(v:lnum)"
  vim.wo.foldtext = "v:lua.require'relay.folds'.text()"
  vim.wo.foldminlines = lines
  vim.wo.foldlevel = 0
end

return M
