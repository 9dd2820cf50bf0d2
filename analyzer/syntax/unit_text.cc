#include "syntax/unit_text.h"

#include <algorithm>

namespace shapewise {

UnitText::UnitText(std::string_view file, llvm::ArrayRef<FileSpan> ranges) {
  const size_t begin = ranges.front().begin;
  unit_ = file.substr(begin, ranges.back().end - begin);
  parsed_ = unit_;
  if (ranges.size() == 1) return;
  const auto append = [&](size_t from, size_t to) {
    pieces_.push_back({static_cast<uint32_t>(joined_.size()), static_cast<uint32_t>(from - begin)});
    joined_ += file.substr(from, to - from);
  };
  size_t end = begin;
  for (const FileSpan& range : ranges) {
    if (range.begin > end) {
      const size_t first = std::min(file.find_first_not_of(" \t\f", end), range.begin);
      append(end, first);
      // Its place is that of the removed code, whose text is not "pass".
      append(first, first);
      joined_ += "pass\n";
    }
    append(range.begin, range.end);
    end = range.end;
  }
  parsed_ = joined_;
}

uint32_t UnitText::Map(uint32_t offset) const {
  if (pieces_.empty()) return offset;
  const auto next = std::ranges::upper_bound(pieces_, offset, {}, &Piece::parsed);
  const Piece& piece = next[-1];
  return std::min<uint32_t>(piece.original + (offset - piece.parsed),
                            static_cast<uint32_t>(unit_.size()));
}

ByteSpan UnitText::Original(uint32_t begin, uint32_t end) const {
  const uint32_t first = Map(begin);
  // The last byte of a range is not the start of the next one.
  return {first, end <= begin ? first : std::max(first, Map(end - 1) + 1)};
}

}  // namespace shapewise
