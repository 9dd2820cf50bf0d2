#include "shapewise/ingest/length_reader.h"

#include <utility>

#include "llvm/ADT/StringRef.h"
#include "shapewise/ingest/redacted_lines.h"
#include "shapewise/ingest/size_reader.h"
#include "shapewise/model/call_history_builder.h"
#include "shapewise/redact/redact_calls.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

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

/// Makes calls of lengths.
class LengthCallSink final : public SizeSink {
 public:
  LengthCallSink(const LengthShape& shape, RecordedFunction& function)
      : shape_(shape), builder_(function.history) {
    source_ = builder_.Source(CallHistoryBuilder::kNoParent, shape.source);
  }

  void Finish() { builder_.Finish(); }

  std::string_view OnSizes(const Sizes& sizes, uint64_t calls) override {
    if (calls == 0) return {};
    TensorValue tensor;
    for (size_t dim = 0; dim < shape_.sizes.size(); ++dim) {
      tensor.sizes.push_back(shape_.sizes[dim].value_or(kUntoldSize + static_cast<int64_t>(dim)));
    }
    tensor.sizes[shape_.dim] = sizes[0];
    tensor.strides = ContiguousStrides(tensor.sizes);
    builder_.SetTensor(source_, tensor);
    const bool has_room = builder_.EndCall(RecordedCall(), StrId::kNone, calls);
    return has_room ? "" : "there are more calls than can be held";
  }

 private:
  const LengthShape& shape_;
  CallHistoryBuilder builder_;
  uint32_t source_ = 0;
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
    if (stars != 1 || shape.sizes.size() > TensorValue::kMaxDims) return BadShape(all);
    return shape;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return BadShape(all);
  const std::optional<int64_t> dim = SizeOf(text.substr(colon + 1));
  if (!dim || *dim >= static_cast<int64_t>(TensorValue::kMaxDims)) return BadShape(all);
  shape.source = SourceOfName(Trim(text.substr(0, colon)));
  shape.dim = static_cast<size_t>(*dim);
  shape.sizes.resize(shape.dim + 1);
  return shape;
}

Expected<JsonLineTotals> ReadLengths(const std::string& path, const LengthShape& shape,
                                     FileSource& files, RecordedFunction& function,
                                     Redactor* redactor) {
  LengthCallSink sink(shape, function);
  Expected<SizeTotals> totals = ReadSizes(path, SizeQuery(), files, sink);
  sink.Finish();
  if (!totals) return RedactedError(totals.takeError(), redactor);
  if (redactor != nullptr) {
    RedactHistory(*redactor, function.history);
    RedactTotals(*redactor, totals->lines);
  }
  return std::move(totals->lines);
}

}  // namespace shapewise
