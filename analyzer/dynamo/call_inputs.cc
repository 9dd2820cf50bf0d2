#include "dynamo/call_inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dynamo/strides.h"
#include "llvm/ADT/DenseMap.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

/// Splits the place "L['x'].size()[0]" into source and property; `names` finds inputs.
CallInputs::Place ParsePlace(std::string_view text, const llvm::StringMap<uint32_t>& names) {
  using Property = CallInputs::Place::Property;
  CallInputs::Place place;
  const auto find = [&](std::string_view name, Property property) {
    const auto found = names.find(llvm::StringRef(name.data(), name.size()));
    if (found == names.end()) return false;
    place.property = property;
    place.input = found->second;
    return true;
  };
  if (find(text, Property::kValue)) return place;
  const SourceRef source = ParseSource(text);
  if (!source.IsLayout()) return place;
  const Property property = source.property == SourceRef::Property::kSize     ? Property::kSize
                            : source.property == SourceRef::Property::kStride ? Property::kStride
                                                                              : Property::kOffset;
  if (find(source.object, property)) place.dim = static_cast<size_t>(std::max(source.dim, 0));
  return place;
}

/// The value of `place` in `value`; absent if `value` has no such property.
std::optional<int64_t> ReadPlace(const CallInputs::Place& place, const InputValue& value) {
  using Property = CallInputs::Place::Property;
  const InputTensor* const tensor = value.tensor;
  switch (place.property) {
    case Property::kUnknown:
      return std::nullopt;
    case Property::kValue: {
      const CallValue::Kind kind = value.value.kind;
      if (kind != CallValue::Kind::kInt && kind != CallValue::Kind::kBool) return std::nullopt;
      return value.value.integer;
    }
    case Property::kSize:
      if (tensor == nullptr || place.dim >= tensor->sizes.size()) return std::nullopt;
      return tensor->sizes[place.dim];
    case Property::kStride:
      if (tensor == nullptr || place.dim >= tensor->strides.size()) return std::nullopt;
      return tensor->strides[place.dim];
    case Property::kOffset:
      if (tensor == nullptr) return std::nullopt;
      return tensor->storage_offset;
  }
  return std::nullopt;
}

}  // namespace

TensorMarks MarksOf(std::vector<DimMark> marks) {
  TensorMarks result;
  for (const DimMark& mark : marks) {
    result.dims[static_cast<size_t>(mark.kind)].push_back(mark.dim);
    if (mark.kind != MarkKind::kUnbacked || !(mark.min || mark.max)) continue;
    std::erase_if(result.bounds, [&](const DimMark& other) { return other.dim == mark.dim; });
    result.bounds.push_back(mark);
  }
  for (std::vector<int32_t>& dims : result.dims) {
    std::ranges::sort(dims);
    dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  }
  std::ranges::sort(result.bounds,
                    [](const DimMark& a, const DimMark& b) { return a.dim < b.dim; });
  result.marks = std::move(marks);
  return result;
}

bool TensorMarks::Has(MarkKind kind, size_t dim) const {
  const std::vector<int32_t>& of_kind = dims[static_cast<size_t>(kind)];
  return std::ranges::binary_search(of_kind, static_cast<int32_t>(dim));
}

const DimMark* TensorMarks::Find(MarkKind kind, size_t dim) const {
  const auto found = std::find_if(marks.rbegin(), marks.rend(), [&](const DimMark& mark) {
    return mark.kind == kind && mark.dim == static_cast<int32_t>(dim);
  });
  return found == marks.rend() ? nullptr : &*found;
}

HistoryTensors::HistoryTensors(const CallHistory& history) {
  size_t num_dims = 0;
  for (const TensorValue& value : history.tensors) num_dims += 2 * value.sizes.size();
  // The vector must not reallocate: tensors point into it.
  dims_.resize(num_dims);
  tensors_.reserve(history.tensors.size());
  int64_t* next = dims_.data();
  for (const TensorValue& value : history.tensors) {
    InputTensor& tensor = tensors_.emplace_back();
    const Properties& properties = PropertiesOf(history, value);
    tensor.properties = properties.number;
    tensor.is_parameter = properties.is_parameter;
    tensor.object = value.object;

    const size_t rank = value.sizes.size();
    tensor.sizes = llvm::ArrayRef<int64_t>(next, rank);
    next = std::copy(value.sizes.begin(), value.sizes.end(), next);
    tensor.strides = llvm::ArrayRef<int64_t>(next, rank);
    if (value.has_layout && value.strides.size() == rank) {
      next = std::copy(value.strides.begin(), value.strides.end(), next);
      tensor.storage_offset = value.storage_offset;
    } else {
      const llvm::SmallVector<int64_t, 8> strides = WrappedContiguousStrides(value.sizes);
      next = std::copy(strides.begin(), strides.end(), next);
    }
    if (value.marks.empty()) continue;
    marks_.push_back(std::make_unique<TensorMarks>(MarksOf(value.marks)));
    tensor.marks = marks_.back().get();
  }
}

const HistoryTensors::Properties& HistoryTensors::PropertiesOf(const CallHistory& history,
                                                               const TensorValue& tensor) {
  const PropertyKey key(tensor.dtype, tensor.device, tensor.type, tensor.keys,
                        tensor.requires_grad);
  if (last_properties_ != nullptr && key == last_key_) return *last_properties_;
  const auto number = static_cast<uint32_t>(properties_.size());
  const auto [entry, is_new] = properties_.try_emplace(key, Properties{.number = number});
  if (is_new) entry->second.is_parameter = history.strings.text(tensor.type) == "Parameter";
  last_key_ = key;
  last_properties_ = &entry->second;
  return entry->second;
}

/// What the policy adds to the tensors of one source.
struct CallInputs::Override {
  std::vector<DimMark> marks;
  std::vector<PolicyBuckets> buckets;
  /// For tensors without marks of their own, by rank.
  std::vector<std::unique_ptr<TensorMarks>> marks_by_rank;
  std::vector<std::unique_ptr<TensorMarks>> other_marks;
  llvm::DenseMap<uint32_t, const InputTensor*> kept;  ///< by index into CallHistory::tensors
  /// The tensor of the call that was filled in last, if it is not kept.
  InputTensor current;
  llvm::SmallVector<int64_t, 8> current_sizes;
  llvm::SmallVector<int64_t, 8> current_strides;
};

/// The tensors of the last call that a resume function was evaluated for.
struct CallInputs::ResumedFrame {
  std::vector<InputTensor> tensors;
  std::vector<std::vector<int64_t>> dims;
};

CallInputs::CallInputs(const CallHistory& history, const HistoryTensors& tensors,
                       const BodyFacts& body, const CompilePolicy& policy)
    : history_(history), tensors_(tensors), body_(body) {
  overrides_.push_back(nullptr);
  override_of_.resize(history.sources.size());
  llvm::StringMap<uint32_t> source_of;
  for (uint32_t source = 0; source < history.sources.size(); ++source) {
    const std::string name(history.strings.text(history.sources[source]));
    source_of.try_emplace(name, source);
    sources_.push_back({.name = name, .source = source});
    auto override = std::make_unique<Override>();
    for (const PolicyMark& mark : policy.marks) {
      if (mark.source == name) override->marks.push_back(mark.mark);
    }
    for (const PolicyBuckets& buckets : policy.buckets) {
      if (buckets.source == name) override->buckets.push_back(buckets);
    }
    if (override->marks.empty() && override->buckets.empty()) continue;
    override_of_[source] = static_cast<uint32_t>(overrides_.size());
    overrides_.push_back(std::move(override));
  }

  for (uint32_t number = 0; number < body.frames.size(); ++number) {
    const BodyFrame& frame = body.frames[number];
    std::vector<FrameInput>& inputs = frames_.emplace_back();
    if (number == 0) {
      std::vector<bool> is_listed(history.sources.size());
      for (const BodySource& source : frame.sources) {
        const auto found = source_of.find(source.source);
        if (found == source_of.end()) continue;
        is_listed[found->second] = true;
        if (source.use == SourceUse::kUnread) continue;
        inputs.push_back({.name = source.source, .use = source.use, .source = found->second});
      }
      for (uint32_t source = 0; source < is_listed.size(); ++source) {
        if (is_listed[source] || frame.lists_all) continue;
        FrameInput input = sources_[source];
        input.use = frame.reads_all ? SourceUse::kTensor : SourceUse::kUnknown;
        inputs.push_back(std::move(input));
      }
    } else {
      for (const ResumeInput& resumed : frame.inputs) {
        if (resumed.use == SourceUse::kUnread) continue;
        // As in the first frame: what is not in the history never changes.
        if (!resumed.same_as.empty() && source_of.count(resumed.same_as) == 0) continue;
        inputs.push_back({.name = resumed.source, .use = resumed.use, .resumed = &resumed});
      }
    }
    llvm::StringMap<uint32_t>& names = names_.emplace_back();
    for (uint32_t input = 0; input < inputs.size(); ++input) {
      names.try_emplace(inputs[input].name, input);
    }
    resumed_.push_back(std::make_unique<ResumedFrame>());
    resumed_.back()->tensors.resize(inputs.size());
    resumed_.back()->dims.resize(inputs.size());
  }
  // The expressions of resume functions refer to the history's sources.
  names_.push_back(std::move(source_of));
}

CallInputs::~CallInputs() = default;

llvm::ArrayRef<int64_t> CallInputs::Keep(llvm::ArrayRef<int64_t> values) {
  int64_t* const kept = arena_.Allocate<int64_t>(values.size());
  std::copy(values.begin(), values.end(), kept);
  return {kept, values.size()};
}

const InputTensor* CallInputs::TensorOf(uint32_t source, uint32_t index) {
  const InputTensor& plain = tensors_.tensor(index);
  if (override_of_[source] == 0) return &plain;
  Override& override = *overrides_[override_of_[source]];
  if (const auto found = override.kept.find(index); found != override.kept.end()) {
    return found->second;
  }
  override.current = plain;
  Pad(override);
  Mark(override);
  // Marks make a tensor expensive to build, so build it once.
  if (lifetime_ == Lifetime::kCall && plain.marks == nullptr) return &override.current;
  auto* const kept = new (arena_.Allocate<InputTensor>()) InputTensor(override.current);
  if (kept->sizes.data() == override.current_sizes.data()) {
    kept->sizes = Keep(kept->sizes);
    kept->strides = Keep(kept->strides);
  }
  override.kept[index] = kept;
  return kept;
}

int64_t CallInputs::PaddedSize(const Override& override, size_t dim, int64_t size) {
  for (const PolicyBuckets& buckets : override.buckets) {
    if (buckets.dim < 0 || static_cast<size_t>(buckets.dim) != dim) continue;
    const auto bucket = std::ranges::lower_bound(buckets.sizes, size);
    if (bucket != buckets.sizes.end()) size = *bucket;
  }
  return size;
}

void CallInputs::Pad(Override& override) {
  InputTensor& tensor = override.current;
  llvm::SmallVector<int64_t, 8>& sizes = override.current_sizes;
  sizes.assign(tensor.sizes.begin(), tensor.sizes.end());
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    sizes[dim] = PaddedSize(override, dim, sizes[dim]);
  }
  if (llvm::ArrayRef<int64_t>(sizes) == tensor.sizes) return;
  override.current_strides = ResizedStrides(tensor.sizes, tensor.strides, sizes);
  tensor.sizes = sizes;
  tensor.strides = override.current_strides;
}

std::optional<int64_t> CallInputs::OnlySize(uint32_t frame, uint32_t input, size_t dim) {
  uint32_t source = frames_[frame][input].source;
  if (const ResumeInput* const resumed = frames_[frame][input].resumed) {
    if (resumed->same_as.empty()) {
      if (dim >= resumed->sizes.size() || resumed->sizes[dim] == ExprId::kNone) return std::nullopt;
      return body_.pool->Evaluate(resumed->sizes[dim],
                                  [](ExprId) -> std::optional<int64_t> { return std::nullopt; });
    }
    const auto found = names_.back().find(resumed->same_as);
    if (found == names_.back().end()) return std::nullopt;
    source = found->second;
  }
  const auto [known, is_new] = only_sizes_.try_emplace({source, dim});
  if (is_new) known->second = FindOnlySize(source, dim);
  return known->second;
}

std::optional<int64_t> CallInputs::FindOnlySize(uint32_t source, size_t dim) const {
  std::optional<int64_t> only;
  for (const CallSignature& signature : history_.signatures) {
    if (source >= signature.values.size()) continue;
    const CallValue& value = signature.values[source];
    if (value.kind != CallValue::Kind::kTensor) continue;
    const InputTensor& tensor = tensors_.tensor(value.tensor);
    if (dim >= tensor.sizes.size()) return std::nullopt;
    int64_t size = tensor.sizes[dim];
    if (override_of_[source] != 0) size = PaddedSize(*overrides_[override_of_[source]], dim, size);
    if (only.value_or(size) != size) return std::nullopt;
    only = size;
  }
  return only;
}

void CallInputs::Mark(Override& override) {
  if (override.marks.empty()) return;
  InputTensor& tensor = override.current;
  const size_t rank = tensor.sizes.size();
  const auto make = [&] {
    std::vector<DimMark> marks;
    if (tensor.marks != nullptr) marks = tensor.marks->marks;
    for (const DimMark& mark : override.marks) {
      if (mark.dim < static_cast<int32_t>(rank)) marks.push_back(mark);
    }
    return std::make_unique<TensorMarks>(MarksOf(std::move(marks)));
  };
  if (tensor.marks != nullptr) {
    tensor.marks = override.other_marks.emplace_back(make()).get();
    return;
  }
  if (override.marks_by_rank.size() <= rank) override.marks_by_rank.resize(rank + 1);
  std::unique_ptr<TensorMarks>& marks = override.marks_by_rank[rank];
  if (marks == nullptr) marks = make();
  // A tensor without a matching mark has no marks.
  tensor.marks = marks->marks.empty() ? nullptr : marks.get();
}

InputValue CallInputs::SourceValue(uint32_t source, uint32_t signature) {
  const std::vector<CallValue>& values = history_.signatures[signature].values;
  InputValue result;
  if (source >= values.size()) return result;
  result.value = values[source];
  if (result.value.kind == CallValue::Kind::kTensor) {
    result.tensor = TensorOf(source, result.value.tensor);
  }
  return result;
}

void CallInputs::Fill(uint32_t frame, uint32_t signature, InputRow& row, Lifetime lifetime) {
  lifetime_ = lifetime;
  if (frame != 0) return FillResumed(frame, signature, row);
  const std::vector<FrameInput>& inputs = frames_[0];
  row.resize(inputs.size());
  for (size_t input = 0; input < inputs.size(); ++input) {
    row[input] = SourceValue(inputs[input].source, signature);
  }
}

uint32_t CallInputs::DerivedProperties(uint32_t signature) {
  std::vector<uint32_t> key;
  const size_t num_values = history_.signatures[signature].values.size();
  for (uint32_t source = 0; source < num_values; ++source) {
    const InputValue value = SourceValue(source, signature);
    if (value.tensor != nullptr) key.push_back(value.tensor->properties);
  }
  const auto next = static_cast<uint32_t>(derived_properties_.size());
  return derived_properties_.try_emplace(std::move(key), next).first->second;
}

InputValue CallInputs::ResumedValue(const ResumeInput& input, uint32_t signature,
                                    uint32_t properties, InputTensor& tensor,
                                    std::vector<int64_t>& dims) {
  InputValue result;
  result.value.kind = CallValue::Kind::kUnknown;
  const auto sources_frame = static_cast<uint32_t>(frames_.size());
  const auto evaluate = [&](ExprId expression) -> std::optional<int64_t> {
    if (expression == ExprId::kNone) return std::nullopt;
    return body_.pool->Evaluate(expression, [&](ExprId symbol) -> std::optional<int64_t> {
      const Place& place = PlaceOf(symbol, sources_frame);
      if (place.property == Place::Property::kUnknown) return std::nullopt;
      return ReadPlace(place, SourceValue(place.input, signature));
    });
  };
  if (!input.same_as.empty()) {
    const auto found = names_.back().find(input.same_as);
    return found == names_.back().end() ? result : SourceValue(found->second, signature);
  }
  const bool is_tensor = input.use == SourceUse::kTensor || input.use == SourceUse::kStaticTensor;
  if (!is_tensor) {
    if (const std::optional<int64_t> value = evaluate(input.value)) {
      result.value.kind = CallValue::Kind::kInt;
      result.value.integer = *value;
    }
    return result;
  }
  const size_t rank = input.sizes.size();
  dims.clear();
  for (const ExprId size : input.sizes) {
    const std::optional<int64_t> value = evaluate(size);
    if (!value) return result;
    dims.push_back(*value);
  }
  if (input.strides.empty()) {
    const llvm::SmallVector<int64_t, 8> strides = WrappedContiguousStrides(dims);
    dims.insert(dims.end(), strides.begin(), strides.end());
  } else {
    for (const ExprId stride : input.strides) {
      const std::optional<int64_t> value = evaluate(stride);
      if (!value) return result;
      dims.push_back(*value);
    }
  }
  if (dims.size() != 2 * rank) return result;
  tensor = InputTensor{};
  tensor.properties = properties;
  tensor.are_properties_derived = true;
  tensor.sizes = llvm::ArrayRef<int64_t>(dims).take_front(rank);
  tensor.strides = llvm::ArrayRef<int64_t>(dims).drop_front(rank);
  if (lifetime_ == Lifetime::kSimulation) {
    tensor.sizes = Keep(tensor.sizes);
    tensor.strides = Keep(tensor.strides);
  }
  result.value.kind = CallValue::Kind::kTensor;
  result.tensor = &tensor;
  return result;
}

void CallInputs::FillResumed(uint32_t frame, uint32_t signature, InputRow& row) {
  const std::vector<FrameInput>& inputs = frames_[frame];
  ResumedFrame& resumed = *resumed_[frame];
  const uint32_t properties = DerivedProperties(signature);
  row.resize(inputs.size());
  for (size_t input = 0; input < inputs.size(); ++input) {
    row[input] = ResumedValue(*inputs[input].resumed, signature, properties, resumed.tensors[input],
                              resumed.dims[input]);
  }
}

const CallInputs::Place& CallInputs::PlaceOf(ExprId place, uint32_t frame) {
  const auto [entry, is_new] = places_.try_emplace({frame, place});
  if (is_new) entry->second = ParsePlace(body_.pool->name(place), names_[frame]);
  return entry->second;
}

std::optional<int64_t> CallInputs::Evaluate(ExprId expression, uint32_t frame,
                                            const InputRow& row) {
  const auto value = body_.pool->Evaluate(expression, [&](ExprId symbol) -> std::optional<int64_t> {
    const Place& place = PlaceOf(symbol, frame);
    if (place.property == Place::Property::kUnknown) return std::nullopt;
    return ReadPlace(place, row[place.input]);
  });
  if (value) return value;
  // The expression may contain floats.
  const auto number =
      EvaluateNumber(*body_.pool, expression, [&](ExprId symbol) -> std::optional<double> {
        const Place& place = PlaceOf(symbol, frame);
        if (place.property == Place::Property::kUnknown) return std::nullopt;
        const CallValue& given = row[place.input].value;
        if (place.property == Place::Property::kValue && given.kind == CallValue::Kind::kFloat) {
          return given.number;
        }
        const std::optional<int64_t> integer = ReadPlace(place, row[place.input]);
        if (!integer) return std::nullopt;
        return static_cast<double>(*integer);
      });
  // 2^63, the first number that is too large. The largest int64_t has no exact double.
  constexpr double kTooLarge = 9223372036854775808.0;
  if (!number || *number != std::trunc(*number) || *number >= kTooLarge || *number < -kTooLarge) {
    return std::nullopt;
  }
  return static_cast<int64_t>(*number);
}

}  // namespace shapewise
