#include "model/guard_readers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kHintOpens = "(HINT:";

bool BlankBefore(std::string_view text, size_t pos) {
  return pos == 0 || IsBlankChar(text[pos - 1]);
}

// Whether a comment begins at `pos`: `#` with a blank or the edge of the text on both sides.
bool CommentBegins(std::string_view text, size_t pos) {
  return text[pos] == '#' && BlankBefore(text, pos) &&
         (pos + 1 == text.size() || IsBlankChar(text[pos + 1]));
}

// A place in a comment and its position there.
struct CommentPlace {
  std::string_view file;
  uint32_t line = 0;
  std::string_view function;
  size_t end = 0;             // after the function or, without one, after the line
  bool ends_cleanly = false;  // nothing follows that could also be part of a source line
};

// Recognizes paths in one pass, so that checking at every colon is free.
//
//   mp/app/m.py   nn/modules/linear.py   <ipython-input-3-5d1>   ipykernel_231194/3085.py
struct PathShape {
  bool has_blank = false;
  bool has_separator = false;

  void Add(char c) {
    has_blank = has_blank || IsBlankChar(c);
    has_separator = has_separator || c == '/' || c == '\\';
  }
  bool Fits(std::string_view text) const {
    if (text.empty()) return false;
    if (text.ends_with(".py")) return !has_blank || has_separator;
    return !has_blank && (has_separator || text.front() == '<');
  }
};

// Whether the text after a place's function ends the place: the end, torch's own remark in
// brackets, the second place of a merged range, or the next guard.
bool EndsPlace(std::string_view rest) {
  return rest.empty() || rest.starts_with(" (") || rest.starts_with(" and ") ||
         rest.starts_with(';') || rest.starts_with(')');
}

bool IsFunctionByte(char c) { return IsWordByte(c) || c == '.' || c == '<' || c == '>'; }

// Reads the number at `*pos` and moves past it; 0 if it is too large for a line.
uint32_t ReadLineNumber(std::string_view text, size_t* pos) {
  uint64_t line = 0;
  for (; *pos < text.size() && IsDigit(text[*pos]); ++*pos) {
    line = std::min<uint64_t>(line * 10 + static_cast<uint64_t>(text[*pos] - '0'), UINT32_MAX);
  }
  return line == UINT32_MAX ? 0 : static_cast<uint32_t>(line);
}

// The first `{file}:{line} in {function}` or `{file}:{line}` in `comment` whose file begins exactly
// between `begin` and `end`. Version 2.2 prints "at " before it.
std::optional<CommentPlace> PlaceIn(std::string_view comment, size_t begin, size_t end) {
  std::string_view text = comment.substr(begin, end - begin);
  const size_t untrimmed = text.size();
  text = TrimLeft(text);
  ConsumeFront(text, "at ");
  const size_t offset = begin + (untrimmed - text.size());
  text = TrimRight(text);

  PathShape shape;
  for (size_t colon = 0; colon < text.size(); ++colon) {
    if (text[colon] != ':' || colon + 1 >= text.size() || !IsDigit(text[colon + 1])) {
      shape.Add(text[colon]);
      continue;
    }
    CommentPlace place;
    place.file = text.substr(0, colon);
    size_t pos = colon + 1;
    place.line = ReadLineNumber(text, &pos);
    if (place.line != 0 && shape.Fits(place.file)) {
      std::string_view rest = text.substr(pos);
      if (rest.starts_with(" in ") && rest.size() > 4 && IsFunctionByte(rest[4])) {
        size_t after = 4;
        while (after < rest.size() && IsFunctionByte(rest[after])) ++after;
        place.function = rest.substr(4, after - 4);
        while (place.function.ends_with('.')) place.function.remove_suffix(1);  // "in forw..."
        place.end = offset + pos + after;
        rest.remove_prefix(after);
        place.ends_cleanly = EndsPlace(rest);
        return place;
      }
      if (EndsPlace(rest) || rest == " in" || rest == " i") {
        place.end = offset + pos;
        place.ends_cleanly = true;
        return place;
      }
    }
    shape.Add(':');
  }
  return std::nullopt;
}

// A comment with a place, and the end of its source line.
struct PlacedComment {
  CommentPlace place;
  size_t code_end = 0;
};

// A place is at the start of a comment or after a `#` in it. Source lines may contain both,
//
//   y = f(x)  # see utils.py:12 in the docs  # mp/app/m.py:16 in forward
//
// so this takes the first place that ends like torch's own, or else the first one.
std::optional<PlacedComment> FindPlace(std::string_view comment) {
  std::optional<PlacedComment> fallback;
  size_t code_end = 0;
  size_t begin = 0;
  while (true) {
    size_t end = begin;
    while (end < comment.size() && !CommentBegins(comment, end)) ++end;
    if (const auto place = PlaceIn(comment, begin, end)) {
      const PlacedComment placed = {*place, code_end};
      if (place->ends_cleanly) return placed;
      if (!fallback) fallback = placed;
    }
    if (end == comment.size()) return fallback;
    code_end = end;
    begin = end + 1;
  }
}

// The group in round brackets at the front of `text`, or all of `text` if it is truncated. It is
// prose, so quotes need not be balanced.
std::string_view LeadingGroup(std::string_view text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text.substr(0, i + 1);
  }
  return text;
}

// Prefixes of torch's remarks in place of a source line.
bool IsRemark(std::string_view comment) {
  constexpr std::string_view kRemarks[] = {
      "(",                    // (unknown source L['t'].stride()[0], please file a bug)
      "<unknown>",            // a guard without a stack
      "duck sizing added",    // b.size()[0] == a.size()[0]
      "exclusion guard for",  // x.size()[0] != 8
      "implicit guard for",   // not math.isnan(t)
      "user code shown is first use",
  };
  return std::any_of(std::begin(kRemarks), std::end(kRemarks),
                     [comment](std::string_view remark) { return comment.starts_with(remark); });
}

// The place of a comment that is nothing but a place of Inductor in brackets, which chose a kernel
// by a size: "(_inductor/scheduler.py:388 in can_fuse)". Places of Dynamo say nothing about the
// cause.
std::optional<CommentPlace> PlaceOfInductor(std::string_view comment) {
  if (!comment.starts_with("(_inductor/")) return std::nullopt;
  std::string_view inside = LeadingGroup(comment).substr(1);
  if (inside.ends_with(')')) inside.remove_suffix(1);
  const std::optional<CommentPlace> place = PlaceIn(inside, 0, inside.size());
  return place && place->end == inside.size() && !place->function.empty() ? place : std::nullopt;
}

// The last part of the first dotted path below one of torch's modules of options and decorators:
// "use_duck_shape" for "torch.fx.experimental._config.use_duck_shape". A path at the very end of
// the text is ignored, because it may be truncated.
std::string_view NamedOption(std::string_view sentence) {
  constexpr std::string_view kModules[] = {
      "torch._dynamo.",
      "torch.fx.experimental._config.",
      "torch._inductor.",
      "torch.compiler.",
  };
  size_t first = kNotFound;
  for (std::string_view module : kModules) first = std::min(first, sentence.find(module));
  if (first == kNotFound) return {};
  const size_t end = AfterDottedName(sentence, first);
  if (end == sentence.size()) return {};
  std::string_view path = sentence.substr(first, end - first);
  while (path.ends_with('.')) path.remove_suffix(1);
  return path.substr(path.rfind('.') + 1);
}

}  // namespace

CommentedGuard SplitComment(std::string_view text) {
  // An apostrophe in prose ("weakref'd") opens a literal that never ends; after that, the character
  // is treated as plain.
  std::array<bool, 2> plain = {false, false};
  size_t depth = 0;
  size_t nested = kNotFound;
  size_t end = kNotFound;
  for (size_t i = 0; i < text.size() && end == kNotFound;) {
    const char c = text[i];
    if (IsQuote(c) && !plain[c == '"']) {
      const size_t after = AfterLiteral(text, i);
      plain[c == '"'] = after == kNotFound;
      i = after == kNotFound ? i + 1 : after;
      continue;
    }
    const bool hint = c == '(' && BlankBefore(text, i) && text.substr(i).starts_with(kHintOpens);
    const bool next_guard = c == ';' && (i + 1 == text.size() || IsBlankChar(text[i + 1]));
    if (depth == 0 && (hint || next_guard)) {
      end = i;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
      --depth;
    } else if (CommentBegins(text, i)) {
      if (depth == 0) end = i;
      nested = std::min(nested, i);
    }
    ++i;
  }
  // Brackets of a truncated or shortened guard are unbalanced: use the first `#`.
  if (end == kNotFound) end = nested;
  if (end == kNotFound) return {.guard = Trim(text), .comment = {}, .hint = {}};

  CommentedGuard split = {.guard = Trim(text.substr(0, end)), .comment = {}, .hint = {}};
  if (text[end] == '#') split.comment = Trim(text.substr(end + 1));
  if (text[end] == '(') split.hint = Trim(text.substr(end));
  return split;
}

GuardComment ParseComment(std::string_view comment) {
  GuardComment result;
  if (const auto place = PlaceOfInductor(comment)) {
    result.file = place->file;
    result.line = place->line;
    result.function = place->function;
    return result;
  }
  if (IsRemark(comment)) {
    result.hint = FindHint(comment);
    return result;
  }
  std::string_view tail = comment;
  const auto placed = FindPlace(comment);
  if (placed) {
    result.file = placed->place.file;
    result.line = placed->place.line;
    result.function = placed->place.function;
    result.code = Trim(comment.substr(0, placed->code_end));
    tail = TrimLeft(comment.substr(placed->place.end));
    if (tail.starts_with(';')) tail = {};  // the next guard, with its own hint
    // Only torch's own words may contain a proposal: after the place, first the remark on a
    // symbolic guard, then the hint; never the source line of the second place.
    if (tail.starts_with('(')) result.hint = FindHint(LeadingGroup(tail));
  }
  const size_t hint = tail.find(kHintOpens);
  if (result.hint.empty() && hint != kNotFound)
    result.hint = FindHint(LeadingGroup(tail.substr(hint)));
  if (!placed) result.code = Trim(comment.substr(0, hint));
  return result;
}

std::string_view FindHint(std::string_view sentence) {
  const std::string_view named = NamedOption(sentence);
  if (!named.empty()) return named;

  // Sentences without the module of a proposal, or recognizable although truncated.
  struct Known {
    std::string_view words;
    std::string_view hint;
  };
  constexpr Known kKnown[] = {
      {"TORCH_COMPILE_DYNAMIC_SOURCES", "dynamic_sources"},
      {"dynamic_sources", "dynamic_sources"},
      {"torch.compile considers integer attributes of the nn.Module",
       "allow_unspec_int_on_nn_module"},
      {"to avoid specialization try", "mark_unbacked"},
      {"duck sizing added this equality", "use_duck_shape"},
      {"Guard failed on a parameter", "force_parameter_static_shapes"},
      {"functools.partial (or", "functools.partial"},
  };
  for (const Known& known : kKnown) {
    if (sentence.find(known.words) != kNotFound) return known.hint;
  }
  return {};
}

}  // namespace shapewise
