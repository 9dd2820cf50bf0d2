#include "model/resume_name.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {

namespace {

constexpr std::string_view kResumePrefix = "torch_dynamo_resume_in_";

// Removes "_12" from the end of `text` and returns the number.
std::optional<uint32_t> ConsumeNumberBack(std::string_view& text) {
  const size_t underscore = text.rfind('_');
  if (underscore == std::string_view::npos) return std::nullopt;
  std::string_view digits = text.substr(underscore + 1);
  const std::optional<uint32_t> number = ConsumeUint<uint32_t>(digits);
  if (!number || !digits.empty()) return std::nullopt;
  text = text.substr(0, underscore);
  return number;
}

}  // namespace

bool ConsumeOldResume(std::string_view& text) {
  return ConsumeFront(text, "<graph break in ") || ConsumeFront(text, "<resume in ");
}

std::optional<ResumeName> ParseResumeName(std::string_view function) {
  if (ConsumeOldResume(function)) {
    if (function.ends_with('>')) function.remove_suffix(1);
    return ResumeName{function, 0};
  }
  if (!ConsumeFront(function, kResumePrefix)) return std::nullopt;
  std::string_view rest = function;
  std::optional<uint32_t> line = ConsumeNumberBack(rest);
  // If the name alone is not unique, a running number follows: "..._at_12_3".
  if (line && !rest.ends_with("_at")) line = ConsumeNumberBack(rest);
  if (!line || !rest.ends_with("_at")) return ResumeName{function, 0};
  rest.remove_suffix(std::string_view("_at").size());
  return ResumeName{rest, *line};
}

namespace {

constexpr std::string_view kResume = "torch_dynamo_resume_in_";
constexpr std::string_view kShortResume = "resume_in_";

/// End of the name that begins at `at`: word characters, and names like "<lambda>" inside it.
size_t NameEnd(std::string_view text, size_t at) {
  bool in_angles = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<' && !in_angles) {
      in_angles = true;
    } else if (c == '>' && in_angles) {
      in_angles = false;
    } else if (!IsWordChar(c)) {
      break;
    }
  }
  return at;
}

/// Removes "_at_11" from the end of `name`; 0 if not found.
uint32_t TakeLineSuffix(std::string_view& name) {
  size_t digits = name.size();
  while (digits > 0 && IsDigit(name[digits - 1])) --digits;
  if (digits == name.size() || !name.substr(0, digits).ends_with("_at_")) return 0;
  std::string_view number = name.substr(digits);
  name = name.substr(0, digits - 4);
  return ConsumeUint<uint32_t>(number).value_or(0);
}

}  // namespace

/// Moves next_ to the first name at or after from_ that is spelled "resume_in_f" or
/// "torch_dynamo_resume_in_f". One search for both: the former is a suffix of the latter, and may
/// be part of another name.
void ResumeNameScanner::FindNext() {
  constexpr std::string_view kLongFront = kResume.substr(0, kResume.size() - kShortResume.size());
  next_ = FindText(text_, kShortResume, from_);
  while (next_ != kNotFound && next_ > 0 && IsWordChar(text_[next_ - 1])) {
    if (next_ >= from_ + kLongFront.size() && text_.substr(0, next_).ends_with(kLongFront)) {
      next_ -= kLongFront.size();
      return;
    }
    next_ = FindText(text_, kShortResume, next_ + 1);
  }
}

bool ResumeNameScanner::Next(PrintedResumeName& name) {
  // A name found in one spelling is kept while names in the other come first.
  if (!is_searched_ || next_ < from_) FindNext();
  if (!is_searched_ || next_old_ < from_) {
    // One character is found faster, and most texts do not have it.
    next_old_ = text_.find('<', from_);
    for (std::string_view rest; next_old_ != kNotFound;
         next_old_ = text_.find('<', next_old_ + 1)) {
      rest = text_.substr(next_old_);
      if (ConsumeOldResume(rest)) break;
    }
  }
  is_searched_ = true;
  name = PrintedResumeName{};
  name.begin = std::min(next_, next_old_);
  if (name.begin == kNotFound) return false;
  if (name.begin == next_old_) {
    const size_t end = text_.find('>', next_old_);
    if (end == kNotFound) return false;
    name.function = text_.substr(next_old_, end - next_old_);
    while (ConsumeOldResume(name.function)) {
    }
    name.end = end + 1;
  } else {
    name.end = NameEnd(text_, name.begin);
    name.function = text_.substr(name.begin, name.end - name.begin);
    bool outermost = true;
    while (name.function.starts_with(kResume) || name.function.starts_with(kShortResume)) {
      const uint32_t line = TakeLineSuffix(name.function);
      if (outermost) name.line = line;
      outermost = false;
      if (!ConsumeFront(name.function, kResume)) ConsumeFront(name.function, kShortResume);
    }
  }
  from_ = name.end;
  return !name.function.empty();
}

}  // namespace shapewise
