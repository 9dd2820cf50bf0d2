// The difference of two texts by lines: Myers' greedy algorithm ("An O(ND) Difference Algorithm and
// Its Variations", 1986), after removing the common start and end. If the texts differ in more than
// kMaxDistance lines, the rest is one replacement.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/fixes.h"

namespace shapewise {
namespace {

constexpr int kMaxDistance = 2000;
constexpr size_t kContext = 3;

/// Lines with their '\n'; '\r' belongs to its line, as in git.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

struct Step {
  char mark = ' ';  ///< ' ' both, '-' only before, '+' only after
  std::string_view line;
};

/// Steps from `before` to `after`; removed lines come before added ones.
std::vector<Step> Between(llvm::ArrayRef<std::string_view> before,
                          llvm::ArrayRef<std::string_view> after) {
  const int n = static_cast<int>(before.size());
  const int m = static_cast<int>(after.size());
  const int limit = std::min(n + m, kMaxDistance);
  // furthest[k + limit]: how far in `before` the diagonal k = x - y was reached.
  std::vector<int> furthest(2 * static_cast<size_t>(limit) + 3, 0);
  std::vector<std::vector<int>> history;
  const auto at = [&](std::vector<int>& row, int k) -> int& {
    return row[static_cast<size_t>(int64_t{k} + limit + 1)];
  };
  int distance = -1;
  for (int d = 0; d <= limit && distance < 0; ++d) {
    history.push_back(furthest);
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(furthest, k - 1) < at(furthest, k + 1))
                  ? at(furthest, k + 1)
                  : at(furthest, k - 1) + 1;
      int y = x - k;
      while (x < n && y < m && before[static_cast<size_t>(x)] == after[static_cast<size_t>(y)])
        ++x, ++y;
      at(furthest, k) = x;
      if (x >= n && y >= m) {
        distance = d;
        break;
      }
    }
  }
  std::vector<Step> steps;
  if (distance < 0) {
    for (const std::string_view line : before) steps.push_back({'-', line});
    for (const std::string_view line : after) steps.push_back({'+', line});
    return steps;
  }
  int x = n;
  int y = m;
  for (int d = distance; d > 0; --d) {
    std::vector<int>& row = history[static_cast<size_t>(d)];
    const int k = x - y;
    const bool is_added = k == -d || (k != d && at(row, k - 1) < at(row, k + 1));
    const int from_k = is_added ? k + 1 : k - 1;
    const int from_x = at(row, from_k);
    const int from_y = from_x - from_k;
    while (x > from_x && y > from_y) {
      --x, --y;
      steps.push_back({' ', before[static_cast<size_t>(x)]});
    }
    if (is_added) {
      steps.push_back({'+', after[static_cast<size_t>(--y)]});
    } else {
      steps.push_back({'-', before[static_cast<size_t>(--x)]});
    }
  }
  while (x > 0) steps.push_back({' ', before[static_cast<size_t>(--x)]});
  std::reverse(steps.begin(), steps.end());
  return steps;
}

std::vector<Step> StepsOf(llvm::ArrayRef<std::string_view> before,
                          llvm::ArrayRef<std::string_view> after) {
  const size_t shorter = std::min(before.size(), after.size());
  size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  size_t tail = 0;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  std::vector<Step> steps;
  for (size_t i = 0; i < head; ++i) steps.push_back({' ', before[i]});
  for (const Step& step :
       Between(before.drop_front(head).drop_back(tail), after.drop_front(head).drop_back(tail)))
    steps.push_back(step);
  for (size_t i = before.size() - tail; i < before.size(); ++i) steps.push_back({' ', before[i]});
  return steps;
}

/// "12,3", or "12" for one line, or "11,0" for no lines after line 11.
std::string Range(size_t first, size_t count) {
  if (count == 1) return std::to_string(first + 1);
  return std::to_string(count == 0 ? first : first + 1) + "," + std::to_string(count);
}

}  // namespace

std::string UnifiedDiff(std::string_view before, std::string_view after, std::string_view path) {
  if (before == after) return "";
  const std::vector<Step> steps = StepsOf(LinesOf(before), LinesOf(after));
  std::string diff = "--- a/" + std::string(path) + "\n+++ b/" + std::string(path) + "\n";
  size_t old_line = 0;
  size_t new_line = 0;
  for (size_t at = 0; at < steps.size();) {
    if (steps[at].mark == ' ') {
      ++at, ++old_line, ++new_line;
      continue;
    }
    // A hunk extends as long as changes are so close that their contexts touch.
    const size_t context = std::min(kContext, at);
    const size_t begin = at - context;
    size_t last = at;
    for (size_t i = at; i < steps.size() && i <= last + 2 * kContext; ++i)
      if (steps[i].mark != ' ') last = i;
    const size_t end = std::min(steps.size(), last + 1 + kContext);
    const size_t lead = at - begin;
    const size_t old_first = old_line - lead;
    const size_t new_first = new_line - lead;
    size_t old_count = 0;
    size_t new_count = 0;
    std::string body;
    for (size_t i = begin; i < end; ++i) {
      old_count += steps[i].mark != '+';
      new_count += steps[i].mark != '-';
      body += steps[i].mark;
      body += steps[i].line;
      if (steps[i].line.empty() || steps[i].line.back() != '\n')
        body += "\n\\ No newline at end of file\n";
    }
    diff +=
        "@@ -" + Range(old_first, old_count) + " +" + Range(new_first, new_count) + " @@\n" + body;
    old_line = old_first + old_count;
    new_line = new_first + new_count;
    at = end;
  }
  return diff;
}

}  // namespace shapewise
