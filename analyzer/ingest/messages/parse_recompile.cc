// Recompile records and recompile-limit warnings.
//
//   Recompiling function f in /w/train.py:4
//       triggered by the following guard failure(s):
//       - 0/1: tensor 'x' size mismatch at index 0. expected 5, actual 6
//       - 0/0: self.width == 3          # return x * self.width  # w/train.py:6 in f
//       - User stack trace:
//       -   File "/w/train.py", line 6, in f
//
//   torch._dynamo hit config.recompile_limit (8)
//      function: 'f' (/w/train.py:4)
//      last reason: 0/7: tensor 'x' size mismatch at index 0. expected 11, actual 12

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "ingest/messages/parsers.h"
#include "shapewise/support/literal_set.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// "f in /w/train.py:4": the compiled frame. Gives back what stands behind it on the line.
std::string_view TakeFunctionInFile(std::string_view text, ParseContext& context,
                                    EventDetail& detail) {
  // "<graph break in f> in train.py:4" (2.0, 2.1): the first " in " is part of the name.
  size_t from = 0;
  if (text.starts_with("<")) {
    const size_t close = text.find('>');
    if (close != kNotFound) from = close;
  }
  const size_t in = FindText(text, " in ", from);
  if (in == kNotFound) {
    detail.function = context.Intern(Trim(text));
    return {};
  }
  detail.function = context.Intern(Trim(text.substr(0, in)));
  std::string_view rest;
  const CodePlace place = SplitFileLine(text.substr(in + 4), &rest);
  detail.file = context.Intern(place.file);
  detail.function_line = place.line;
  return rest;
}

/// Whether a bullet opens a reason with the id of its cache entry: "0/1: ", "!0/3/0: ".
bool HasEntryId(std::string_view text) {
  size_t end = text.starts_with("!") ? 1 : 0;
  bool slash = false;
  while (end < text.size() && (IsDigit(text[end]) || text[end] == '/' || text[end] == '_')) {
    slash = slash || text[end] == '/';
    ++end;
  }
  return slash && end < text.size() && text[end] == ':';
}

void AddReason(std::string_view text, ParseContext& context, const Record& record,
               EventDetail& detail) {
  const GuardFailure failure = ParseGuardFailure(text);
  if (failure.guard_class == GuardClass::kOther) {
    context.session.stats().Bump(Stat::guard_unknown, record.origin.input, record.origin.line);
  }
  // guards.py strips L[...] from reasons since 2.7 and names the entry since 2.5.
  if (text.starts_with("tensor 'L[") || HasText(text, ": tensor 'L[")) {
    context.NoteMark(record, "sources in reasons are spelled L['x']", 0, 206);
  } else if (!failure.entry.empty() && HasText(text, ": tensor '")) {
    context.NoteMark(record, "sources in reasons are spelled x", 207, 0);
  } else if (!failure.entry.empty()) {
    context.NoteMark(record, "reasons name the cache entry", 205, 0);
  }
  detail.reasons.push_back(context.session.InternReason(failure));
}

/// Splits "- a - b" of a record that was flattened onto one line.
void SplitFlatBullets(std::string_view text, std::vector<std::string_view>& bullets) {
  size_t at = FindText(text, "- ");
  while (at != kNotFound) {
    size_t next = FindText(text, " - ", at + 2);
    // " - " also occurs inside a guard; a bullet begins with an entry id or a known word.
    while (next != kNotFound) {
      const std::string_view after = TrimLeft(text.substr(next + 3));
      if (HasEntryId(after) || after.starts_with("tensor '") || after.starts_with("User stack")) {
        break;
      }
      next = FindText(text, " - ", next + 3);
    }
    const std::string_view bullet =
        text.substr(at + 2, next == kNotFound ? kNotFound : next - at - 2);
    if (!Trim(bullet).empty()) bullets.push_back(Trim(bullet));
    at = next == kNotFound ? kNotFound : next + 1;
  }
}

/// 2.1 prints the tuple itself: `('Recompiling function f in x.py:3', 'triggered by the following
/// guard failure: ["L['x'] == 3"]')`.
void AddTupleReasons(std::string_view text, ParseContext& context, const Record& record,
                     EventDetail& detail) {
  const size_t at = FindText(text, "guard failure");
  if (at == kNotFound) return;
  const size_t colon = text.find(':', at);
  if (colon == kNotFound) return;
  std::string_view list = Trim(text.substr(colon + 1));
  while (!list.empty() && (list.back() == ')' || list.back() == '\'' || list.back() == '"')) {
    list.remove_suffix(1);
  }
  ConsumeFront(list, "[");
  if (list.ends_with("]")) list.remove_suffix(1);
  list = Trim(list);
  // What repr() escaped: the quotes inside the quoted text.
  std::string unescaped;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size()) ++i;
    unescaped += list[i];
  }
  list = unescaped;
  if (list.size() > 1 && (list.front() == '"' || list.front() == '\'') &&
      list.back() == list.front()) {
    list = list.substr(1, list.size() - 2);
  }
  if (!list.empty()) AddReason(list, context, record, detail);
}

/// "filename: '/w/t.py', function name: 'g', line number: 6" of a refused recompile.
void TakeStanceFrame(const Record& record, std::string_view text, ParseContext& context,
                     EventDetail& detail) {
  detail.file = context.Intern(TextBetween(text, "filename: '", "'"));
  detail.function = context.Intern(TextBetween(text, "function name: '", "'"));
  std::string_view line = TextBetween(text, "line number: ", "\n");
  detail.function_line = context.ConsumeNumber<uint32_t>(record, line).value_or(0);
}

/// The reasons of a limit warning: "last reason: 0/7: ..." since 2.2; `reasons:  ["..."]` or the
/// bare text before.
void AddLimitReasons(std::string_view text, ParseContext& context, const Record& record,
                     EventDetail& detail) {
  text = Trim(text);
  if (text.starts_with("GuardFail(reason=")) {
    text = TextBetween(text, "reason=", ", orig_code=");
    if (text.size() > 1) text = text.substr(1, text.size() - 2);
  }
  if (!ConsumeFront(text, "[") || text.starts_with("]")) {
    if (!text.empty()) AddReason(text, context, record, detail);
    return;
  }
  // Some builds print a list a failure.
  while (ConsumeFront(text, "[")) {
  }
  // A Python list of strings, each quoted by whichever quote it does not hold.
  while (!text.empty() && text.front() != ']') {
    const char quote = text.front();
    if (quote != '\'' && quote != '"') break;
    const size_t end = text.find(quote, 1);
    AddReason(text.substr(1, end == kNotFound ? kNotFound : end - 1), context, record, detail);
    if (end == kNotFound) break;
    text = text.substr(end + 1);
    const size_t next = text.find_first_not_of("], [");
    text = next == kNotFound ? std::string_view() : text.substr(next);
  }
}

/// The words that open a part of a limit warning.
constexpr std::string_view kLimitParts[] = {
    "function: ",       "last reason: ", "reasons: ", "To log all", "o diagnose recompilation",
    "User stack trace:"};

/// Where the part of a limit warning begins that follows the one whose value begins at `from`.
size_t FindNextLimitPart(const LiteralSet& words, std::string_view text, size_t from) {
  size_t at = words.Find(text, from);
  // A part begins after a blank; inside a reason the same letters may be part of a name.
  while (at != kNotFound && at != from && std::string_view(" Tt").find(text[at - 1]) == kNotFound) {
    at = words.Find(text, at + 1);
  }
  return at;
}

/// Reads one part of a limit warning, and those that were flattened onto the same line behind it.
void TakeLimitParts(std::string_view text, ParseContext& context, const Record& record,
                    EventDetail& detail) {
  static const LiteralSet words({std::begin(kLimitParts), std::end(kLimitParts)});
  size_t end = kNotFound;
  for (size_t begin = words.Find(text); begin != kNotFound; begin = end) {
    const std::string_view part =
        *std::find_if(std::begin(kLimitParts), std::end(kLimitParts),
                      [&](std::string_view word) { return text.substr(begin).starts_with(word); });
    const size_t value_begin = begin + part.size();
    end = FindNextLimitPart(words, text, value_begin);
    const std::string_view value =
        text.substr(value_begin, end == kNotFound ? kNotFound : end - value_begin);
    if (part == "function: ") {
      std::string_view rest = Trim(value);
      if (ConsumeFront(rest, "'")) {
        const size_t quote = rest.find('\'');
        detail.function = context.Intern(rest.substr(0, quote));
        rest = quote == kNotFound ? std::string_view() : rest.substr(quote + 1);
      }
      const size_t open = rest.find('(');
      if (open != kNotFound) {
        const CodePlace place = SplitFileLine(rest.substr(open + 1));
        std::string_view file = place.file;
        if (place.line == 0 && file.ends_with(")")) file.remove_suffix(1);
        detail.file = context.Intern(file);
        detail.function_line = place.line;
      }
    } else if (part == "last reason: " || part == "reasons: ") {
      AddLimitReasons(value, context, record, detail);
    }
  }
}

}  // namespace

void AddRecompileReasons(const std::vector<std::string_view>& bullets, ParseContext& context,
                         const Record& record, EventDetail& detail) {
  bool any_entry = false;
  for (const std::string_view bullet : bullets) any_entry = any_entry || HasEntryId(bullet);
  bool in_stack = false;
  for (const std::string_view bullet : bullets) {
    if (HasEntryId(bullet)) {
      in_stack = false;
      AddReason(bullet, context, record, detail);
      continue;
    }
    if (bullet.starts_with("User stack trace:")) in_stack = true;
    if (any_entry || in_stack) continue;
    AddReason(bullet, context, record, detail);
  }
}

void ParseRecompile(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kRecompile;
  std::vector<std::string_view> bullets;
  std::string_view head = TrimLeft(record.line(0));
  const bool is_refusal = ConsumeFront(head, "Detected recompile");
  if (is_refusal) {
    TakeStanceFrame(record, head, context, detail);
    SplitFlatBullets(TextBetween(head, "guard failure(s):", "\n"), bullets);
  } else if (ConsumeFront(head, "('Recompiling function ")) {
    const size_t quote = FindText(head, "', ");
    TakeFunctionInFile(head.substr(0, quote), context, detail);
    AddTupleReasons(quote == kNotFound ? std::string_view() : head.substr(quote), context, record,
                    detail);
  } else if (ConsumeFront(head, "triggered by ")) {
    // The line that names the function was cut away.
    SplitFlatBullets(TextBetween(head, "guard failure(s):", "\n"), bullets);
  } else {
    ConsumeFront(head, "Recompiling function ");
    const std::string_view rest = TakeFunctionInFile(head, context, detail);
    SplitFlatBullets(TextBetween(rest, "guard failure(s):", "\n"), bullets);
  }
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view text = TrimLeft(record.line(i));
    if (text.starts_with("triggered by")) {
      SplitFlatBullets(TextBetween(text, "guard failure(s):", "\n"), bullets);
    } else if (ConsumeFront(text, "- ")) {
      bullets.push_back(Trim(text));
    } else if (text.starts_with("guard ")) {
      SplitFlatBullets(TextBetween(text, " failures:", "\n"), bullets);
    }
  }
  AddRecompileReasons(bullets, context, record, detail);
  const auto detail_id = static_cast<uint32_t>(context.session.InternDetail(detail));
  const std::tuple<int32_t, uint32_t> key(record.origin.rank, detail_id);
  // error_on_recompile logs the record and raises it as an exception with the same text.
  if (record.raised) {
    const auto told = context.unrepeated_recompiles.find(key);
    if (told != context.unrepeated_recompiles.end() && told->second > 0) {
      --told->second;
      return;
    }
  } else {
    ++context.unrepeated_recompiles[key];
  }
  context.Emit(record, detail);
}

void ParseLimit(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kRecompileLimit;
  std::string_view head = TrimLeft(record.line(0));
  ConsumeFront(head, "torch._dynamo hit config.");
  size_t name_end = 0;
  while (name_end < head.size() && IsWordChar(head[name_end])) ++name_end;
  detail.limit_name = head.substr(0, name_end).starts_with("accum")
                          ? LimitName::kAccumulatedRecompileLimit
                          : LimitName::kRecompileLimit;
  // Renamed in 2.7.
  if (HasText(head.substr(0, name_end), "cache_size_limit")) {
    context.NoteMark(record, "the limit is called cache_size_limit", 0, 206);
  } else if (HasText(head.substr(0, name_end), "recompile_limit")) {
    context.NoteMark(record, "the limit is called recompile_limit", 207, 0);
  }
  std::string_view rest = TrimLeft(head.substr(name_end));
  if (ConsumeFront(rest, "(")) {
    rest = TrimLeft(rest);
    detail.limit = context.ConsumeNumber<int64_t>(record, rest);
  }
  TakeLimitParts(rest, context, record, detail);
  for (size_t i = 1; i < record.num_lines(); ++i) {
    const std::string_view text = TrimLeft(record.line(i));
    // Frames of a "User stack trace:" may quote anything.
    if (text.starts_with("User stack trace:")) break;
    TakeLimitParts(text, context, record, detail);
  }
  context.Emit(record, detail);
}

}  // namespace shapewise
