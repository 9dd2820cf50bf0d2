#include "pipeline/run_page.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "buckets/plan_buckets.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

/// The same function in several processes.
using Group = std::vector<const CalledSizes*>;

/// A dim of a tensor of one group.
struct VaryingDim {
  const Group* group = nullptr;
  std::string source;  // as NameOfSource() gives it
  size_t dim = 0;
  /// For each function of the group: the index of the source; absent: it has no such source.
  std::vector<std::optional<size_t>> numbers;
  std::set<int64_t> sizes;
  std::vector<std::string> same;

  std::string Name() const { return source + ":" + std::to_string(dim); }
};

/// The size of dim `dim` of source `source` in a call; absent: missing in the call.
std::optional<int64_t> SizeIn(const CallHistory& history, const CallSignature& call,
                              const std::optional<size_t>& source, size_t dim) {
  if (!source) return std::nullopt;
  const auto size = history.SizeIn(call, *source, static_cast<int64_t>(dim));
  return size && *size >= 0 && *size <= kMaxSize ? size : std::nullopt;
}

/// Groups calls by place, in the order of their first function.
std::vector<Group> GroupByPlace(const std::vector<CalledSizes>& calls) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, std::string, uint32_t>, size_t> numbers;
  for (const CalledSizes& function : calls) {
    if (function.history->calls.empty()) continue;
    const Place& where = function.where;
    const auto [known, is_new] =
        numbers.try_emplace({where.file, where.function, where.line}, groups.size());
    if (is_new) groups.emplace_back();
    groups[known->second].push_back(&function);
  }
  return groups;
}

/// Whether two dims of one group are equal in every call, including missing ones.
bool AreAlike(const VaryingDim& a, const VaryingDim& b) {
  if (a.sizes != b.sizes) return false;
  for (size_t i = 0; i < a.group->size(); ++i) {
    const CallHistory& history = *(*a.group)[i]->history;
    const bool is_alike = std::ranges::all_of(history.signatures, [&](const CallSignature& call) {
      return SizeIn(history, call, a.numbers[i], a.dim) ==
             SizeIn(history, call, b.numbers[i], b.dim);
    });
    if (!is_alike) return false;
  }
  return true;
}

/// Records the sizes of dims of source `source` of a function.
void NoteSizes(const Group& group, size_t function, size_t source,
               std::map<std::pair<std::string, size_t>, VaryingDim>& dims) {
  const CallHistory& history = *group[function]->history;
  const std::string name = NameOfSource(history.strings.text(history.sources[source]));
  std::vector<VaryingDim*> noted;  // by dim
  for (const CallSignature& call : history.signatures) {
    for (size_t dim = 0;; ++dim) {
      const std::optional<int64_t> size = SizeIn(history, call, source, dim);
      if (!size) break;
      if (dim == noted.size()) {
        VaryingDim& entry = dims[{name, dim}];
        entry.group = &group;
        entry.source = name;
        entry.dim = dim;
        entry.numbers.resize(group.size());
        entry.numbers[function] = source;
        noted.push_back(&entry);
      }
      noted[dim]->sizes.insert(*size);
    }
  }
}

/// The dims of `group` that vary, by name; of equal dims only the first.
std::vector<VaryingDim> DimsOf(const Group& group) {
  std::map<std::pair<std::string, size_t>, VaryingDim> all;
  for (size_t function = 0; function < group.size(); ++function) {
    for (size_t source = 0; source < group[function]->history->sources.size(); ++source) {
      NoteSizes(group, function, source, all);
    }
  }
  std::vector<VaryingDim> dims;
  for (auto& [name, dim] : all) {
    if (dim.sizes.size() < 2) continue;
    const auto alike =
        std::ranges::find_if(dims, [&](const VaryingDim& other) { return AreAlike(other, dim); });
    if (alike == dims.end()) {
      dims.push_back(std::move(dim));
    } else {
      alike->same.push_back(dim.Name());
    }
  }
  return dims;
}

/// The sizes of `dim`, call by call.
SizeHistory HistoryOf(const VaryingDim& dim) {
  SizeHistory sizes;
  const bool is_ordered = std::ranges::all_of(*dim.group, &CalledSizes::is_ordered);
  if (dim.group->size() > 1 || !is_ordered) sizes.SetUnordered();
  for (size_t i = 0; i < dim.group->size(); ++i) {
    const CallHistory& history = *(*dim.group)[i]->history;
    const std::vector<RecordedCall>& calls = history.calls;
    for (size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
      const CallSignature& call = history.signatures[calls[begin].signature];
      while (end < calls.size() && calls[end].signature == calls[begin].signature) ++end;
      const std::optional<int64_t> size = SizeIn(history, call, dim.numbers[i], dim.dim);
      if (size) sizes.Add({*size, 1, 1}, end - begin);
    }
  }
  return sizes;
}

std::optional<ShapePlan> PlanOf(VaryingDim dim) {
  PlanOptions options;
  const bool is_recorded = std::ranges::all_of(*dim.group, &CalledSizes::is_recorded);
  options.is_censored = !is_recorded;
  Expected<BucketReport> report = PlanBuckets(HistoryOf(dim), options);
  if (!report) {
    // For example, if all sizes are 0 there is nothing to plan.
    llvm::consumeError(report.takeError());
    return std::nullopt;
  }
  report->columns = {dim.Name()};
  ShapePlan plan;
  plan.where = dim.group->front()->where;
  plan.dim = dim.Name();
  plan.same = std::move(dim.same);
  plan.distinct = dim.sizes.size();
  plan.processes = dim.group->size();
  plan.is_recorded = is_recorded;
  plan.is_incomplete = std::ranges::any_of(*dim.group, &CalledSizes::is_incomplete);
  plan.report = std::move(*report);
  return plan;
}

}  // namespace

void PlanShapes(const std::vector<CalledSizes>& calls, RunPage& page) {
  const std::vector<Group> groups = GroupByPlace(calls);
  std::vector<VaryingDim> dims;
  for (const Group& group : groups) std::ranges::move(DimsOf(group), std::back_inserter(dims));
  page.varying_dims = dims.size();
  // Groups and dims are in a total order, which the stable sort keeps among ties.
  std::ranges::stable_sort(dims, std::greater(),
                           [](const VaryingDim& dim) { return dim.sizes.size(); });
  for (VaryingDim& dim : dims) {
    if (page.plans.size() == kMaxShapePlans) break;
    if (std::optional<ShapePlan> plan = PlanOf(std::move(dim))) {
      page.plans.push_back(std::move(*plan));
    }
  }
}

}  // namespace shapewise
