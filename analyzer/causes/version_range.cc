#include "causes/version_range.h"

#include <algorithm>
#include <limits>
#include <string>

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr int32_t kNewest = std::numeric_limits<int32_t>::max();

int32_t Until(const VersionMark& mark) { return mark.until == 0 ? kNewest : mark.until; }

bool Allows(const VersionMark& mark, int32_t version) {
  return mark.from <= version && version <= Until(mark);
}

std::string FormatVersion(int32_t version) {
  return std::to_string(version / 100) + "." + std::to_string(version % 100);
}

std::string Quote(const Session& session, const VersionMark& mark) {
  std::string text(mark.what);
  text += " (" + session.inputs()[mark.input].name + ":" + std::to_string(mark.line) + ")";
  return text;
}

void Append(std::string& list, const std::string& item) {
  if (!list.empty()) list += "; ";
  list += item;
}

}  // namespace

VersionRange FitVersion(const Session& session) {
  const std::vector<VersionMark>& marks = session.version_marks();
  // The set of marks that contain a version changes only where one begins or ends, so these
  // versions suffice.
  int32_t best_version = 0;
  ptrdiff_t most_marks = 0;
  for (const VersionMark& candidate : marks) {
    for (const int32_t version : {candidate.from, Until(candidate)}) {
      const ptrdiff_t num_marks =
          std::count_if(marks.begin(), marks.end(),
                        [version](const VersionMark& mark) { return Allows(mark, version); });
      const bool is_better =
          num_marks > most_marks || (num_marks == most_marks && version > best_version);
      if (!is_better) continue;
      best_version = version;
      most_marks = num_marks;
    }
  }

  VersionRange range;
  range.until = kNewest;
  for (const VersionMark& mark : marks) {
    if (!Allows(mark, best_version)) continue;
    range.from = std::max(range.from, mark.from);
    range.until = std::min(range.until, Until(mark));
  }
  std::string against;
  for (const VersionMark& mark : marks) {
    if (!Allows(mark, best_version)) {
      Append(against, Quote(session, mark));
      continue;
    }
    const bool sets_from = range.from != 0 && mark.from == range.from;
    const bool sets_until = range.until != kNewest && mark.until == range.until;
    if (sets_from || sets_until) Append(range.why, Quote(session, mark));
  }
  if (!against.empty()) range.why += "; but other marks contradict: " + against;
  if (range.until == kNewest) range.until = 0;
  return range;
}

bool HasReleaseOf(const VersionRange& range, std::string_view torch) {
  const auto number = [&](size_t at) {
    std::string_view text = torch.substr(at);
    const int32_t major = ConsumeUint<int32_t>(text).value_or(0);
    ConsumeFront(text, ".");
    return std::min(major, 99) * 100 + std::min(ConsumeUint<int32_t>(text).value_or(0), 99);
  };
  const size_t from = torch.find(">=");
  if (from != std::string_view::npos && range.until != 0 && number(from + 2) > range.until)
    return false;
  const size_t below = torch.find('<');
  return below == std::string_view::npos || range.from == 0 || number(below + 1) > range.from;
}

std::string FormatVersionRange(const VersionRange& range) {
  if (!range.known()) return {};
  if (range.from == range.until) return FormatVersion(range.from);
  if (range.until == 0) return FormatVersion(range.from) + " or newer";
  if (range.from == 0) return FormatVersion(range.until) + " or older";
  return FormatVersion(range.from) + " to " + FormatVersion(range.until);
}

}  // namespace shapewise
