#include "rules/proposal.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {
namespace {

// A proposal is short; a longer text is cut off, or no sentence.
constexpr size_t kMaxProposal = 240;
constexpr size_t kMinProposal = 8;

// The verbs of proposals.
constexpr std::string_view kVerbs[] = {
    "use ",       "try ",     "consider ", "set ",     "wrap ",     "call ",
    "pass ",      "move ",    "provide ",  "specify ", "register ", "define ",
    "create ",    "install ", "upgrade ",  "rewrite ", "return ",   "remove ",
    "turn ",      "mark ",    "convert ",  "disable ", "enable ",   "re-run ",
    "load ",      "change ",  "clone ",    "do ",      "add ",      "override ",
    "implement ", "make ",    "annotate ", "switch ",  "check ",    "run "};

// What messages ask for that changes nothing.
constexpr std::string_view kPointers[] = {"refer ",  "see ",  "note ",  "visit ",  "file ",
                                          "follow ", "take ", "leave ", "double ", "let "};

// Those that also propose in the middle of a sentence, after a comma.
constexpr std::string_view kClearVerbs[] = {"use ", "try ", "consider "};

// Asked for in nearly every message that the user can do nothing about.
constexpr std::string_view kReports[] = {"issue",  "report", "a bug",       "comment on",
                                         "github", "open a", "follow up on"};

/// Where the sentence that begins at `begin` ends: before ". " and the like, or at the end. A
/// longer one than a proposal ends right after that length.
size_t SentenceEnd(std::string_view text, size_t begin) {
  text = text.substr(0, begin + kMaxProposal + 2);
  for (size_t i = begin; i < text.size(); ++i) {
    const bool is_end = text[i] == '.' || text[i] == '!' || text[i] == ';';
    const bool is_abbreviation = text.substr(0, i).ends_with("e.g");
    if (is_end && !is_abbreviation && (i + 1 == text.size() || text[i + 1] == ' ')) return i;
  }
  return text.size();
}

/// Whether a proposal may begin at `at`: a sentence, or a part of one, does.
bool BeginsPart(std::string_view text, size_t at) {
  const std::string_view before = TrimRight(text.substr(0, at));
  return before.empty() || std::string_view(".;:,!)").find(before.back()) != kNotFound;
}

/// `text` without the marks of what it is quoted in: "got ValueError('... instead.')".
std::string WithoutEnd(std::string_view text) {
  const auto has_more_closed = [](std::string_view part) {
    return std::ranges::count(part, ')') > std::ranges::count(part, '(');
  };
  while (!text.empty() && (std::string_view("'\". ").find(text.back()) != kNotFound ||
                           (text.back() == ')' && has_more_closed(text)))) {
    // A quote that the sentence itself opens is part of it.
    if (text.back() == '\'' && std::ranges::count(text, '\'') % 2 == 0) break;
    text.remove_suffix(1);
  }
  return std::string(text);
}

}  // namespace

std::string ProposalOf(std::string_view message) {
  std::string lower(message);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (size_t at = 0; at < message.size(); ++at) {
    if (at > 0 && message[at - 1] != ' ') continue;
    std::string_view rest = std::string_view(lower).substr(at);
    // "please" makes an imperative of what follows; otherwise the start of a sentence does.
    const bool is_polite = ConsumeFront(rest, "please ") || ConsumeFront(rest, "please, ") ||
                           ConsumeFront(rest, "you can ");
    if (is_polite) ConsumeFront(rest, "either ");
    const auto begins = [rest](std::string_view words) { return rest.starts_with(words); };
    if (is_polite ? std::ranges::any_of(kPointers, begins) : std::ranges::none_of(kVerbs, begins)) {
      continue;
    }
    const bool is_capital = message[at] != lower[at];
    const bool is_clear = is_capital || std::ranges::any_of(kClearVerbs, begins);
    if (!is_polite && !(is_clear && BeginsPart(message, at))) continue;
    const size_t begin = message.size() - rest.size();
    const size_t end = SentenceEnd(message, begin);
    const std::string_view proposal = std::string_view(lower).substr(begin, end - begin);
    const auto is_in = [proposal](std::string_view word) { return HasText(proposal, word); };
    if (end - begin > kMaxProposal || std::ranges::any_of(kReports, is_in)) continue;
    std::string found = WithoutEnd(message.substr(begin, end - begin));
    if (found.size() < kMinProposal) continue;
    found[0] = lower[begin];
    return found;
  }
  return {};
}

std::string ProposalOf(const Cause& cause) {
  // Assertions are written for those who change the compiler.
  for (const std::string& text : {cause.type, cause.message, cause.context}) {
    if (text.starts_with("AssertionError") || HasText(text, ": AssertionError")) return {};
  }
  std::string proposal = ProposalOf(cause.message);
  return proposal.empty() ? ProposalOf(cause.context) : proposal;
}

}  // namespace shapewise
