#include "shapewise/ingest/length_reader.h"

#include <utility>

#include "ingest/calls/whole_lines.h"
#include "llvm/ADT/StringRef.h"
#include "shapewise/model/call_history_builder.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr uint64_t kMaxTimes = uint64_t{1} << 24;
constexpr size_t kMaxDims = 64;

/// Where a size is not told: no length comes near, and no two dims are alike.
constexpr int64_t kUntoldSize = int64_t{1} << 40;

std::optional<int64_t> SizeOf(std::string_view text) {
  int64_t size = 0;
  text = Trim(text);
  if (llvm::StringRef(text.data(), text.size()).getAsInteger(10, size) || size < 0) {
    return std::nullopt;
  }
  return size;
}

Error BadShape(std::string_view text) {
  return MakeError("'" + std::string(text) +
                   "' names no dim: expected SRC:DIM as in x:1, or SRC[SIZES] as in x[8,*,64]");
}

/// Takes lines for lengths.
class LengthSink final : public WholeLines {
 public:
  LengthSink(const LengthShape& shape, RecordedFunction& function)
      : shape_(shape), builder_(function.history) {
    source_ = builder_.Source(CallHistoryBuilder::kNoParent, shape.source);
  }

  JsonLineTotals& totals() { return totals_; }
  void Finish() { builder_.Finish(); }

 protected:
  void OnLine(std::string_view text, uint64_t line) override {
    totals_.NoteLine(text);
    const std::string_view all = text;
    const std::optional<uint64_t> length = ConsumeUint(text);
    uint64_t times = 1;
    const std::string_view rest = Trim(text);
    text = rest.starts_with(",") || rest.starts_with(";") ? Trim(rest.substr(1)) : rest;
    bool is_read = length.has_value();
    if (is_read && !text.empty()) {
      const std::optional<uint64_t> count = ConsumeUint(text);
      times = count.value_or(0);
      is_read = count && text.empty();
    }
    if (!is_read || *length > static_cast<uint64_t>(kUntoldSize) / 2 || times > kMaxTimes) {
      const bool is_heading = line == 1 && !IsDigit(all.front());
      if (!is_heading) totals_.NoteDamage(line, "it is no length, nor a length and a count");
      return;
    }
    if (times == 0) {
      ++totals_.records;
      return;
    }
    TensorValue tensor;
    for (size_t dim = 0; dim < shape_.sizes.size(); ++dim) {
      tensor.sizes.push_back(shape_.sizes[dim].value_or(kUntoldSize + static_cast<int64_t>(dim)));
    }
    tensor.sizes[shape_.dim] = static_cast<int64_t>(*length);
    tensor.strides = ContiguousStrides(tensor.sizes);
    builder_.SetTensor(source_, tensor);
    if (!builder_.EndCall(RecordedCall(), StrId::kNone, times)) {
      return totals_.NoteDamage(line, "there are more calls than can be held");
    }
    ++totals_.records;
  }

  void OnTooLong(uint64_t line) override { totals_.NoteDamage(line, "it is longer than 1 GiB"); }

 private:
  const LengthShape& shape_;
  CallHistoryBuilder builder_;
  uint32_t source_ = 0;
  JsonLineTotals totals_;
};

}  // namespace

Expected<LengthShape> ParseLengthShape(std::string_view text) {
  LengthShape shape;
  const std::string_view all = text;
  text = Trim(text);
  if (text.ends_with("]") && text.find('*') != std::string_view::npos) {
    const size_t open = text.rfind('[');
    if (open == std::string_view::npos || open == 0) return BadShape(all);
    shape.source = SourceOfName(Trim(text.substr(0, open)));
    std::string_view sizes = text.substr(open + 1, text.size() - open - 2);
    size_t stars = 0;
    while (true) {
      const size_t end = std::min(sizes.find(','), sizes.size());
      const std::string_view size = Trim(sizes.substr(0, end));
      if (size == "*") {
        ++stars;
        shape.dim = shape.sizes.size();
        shape.sizes.emplace_back();
      } else {
        shape.sizes.push_back(SizeOf(size));
        if (!shape.sizes.back()) return BadShape(all);
      }
      if (end == sizes.size()) break;
      sizes.remove_prefix(end + 1);
    }
    if (stars != 1 || shape.sizes.size() > kMaxDims) return BadShape(all);
    return shape;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return BadShape(all);
  const std::optional<int64_t> dim = SizeOf(text.substr(colon + 1));
  if (!dim || *dim >= static_cast<int64_t>(kMaxDims)) return BadShape(all);
  shape.source = SourceOfName(Trim(text.substr(0, colon)));
  shape.dim = static_cast<size_t>(*dim);
  shape.sizes.resize(shape.dim + 1);
  return shape;
}

Expected<JsonLineTotals> ReadLengths(const std::string& path, const LengthShape& shape,
                                     FileSource& files, RecordedFunction& function) {
  LengthSink sink(shape, function);
  Stats stats;
  Expected<TextTotals> read = files.Read(path, sink, stats, 0);
  sink.Finish();
  if (!read) return read.takeError();
  return std::move(sink.totals());
}

}  // namespace shapewise
