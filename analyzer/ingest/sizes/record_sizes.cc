// Sizes in call records: the size of a dim of an argument, call by call.

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/calls/json_values.h"
#include "ingest/sizes/size_rows.h"
#include "llvm/ADT/STLExtras.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// More dims than tensors have.
constexpr int64_t kMaxDims = 16;

/// One function; one history per process.
struct Group {
  std::string function;
  std::vector<const CallHistory*> histories;
  bool is_ordered = true;
};

/// The size of a value at `dim`, or its number; absent: neither.
std::optional<int64_t> SizeIn(const CallHistory& history, const CallSignature& call, size_t source,
                              const std::optional<int64_t>& dim) {
  const TensorValue* const tensor = history.TensorIn(call, source);
  if (dim && tensor != nullptr && *dim < 0) {
    return history.SizeIn(call, source, *dim + static_cast<int64_t>(tensor->sizes.size()));
  }
  if (dim) return history.SizeIn(call, source, *dim);
  if (source >= call.values.size()) return std::nullopt;
  const CallValue& value = call.values[source];
  return value.kind == CallValue::Kind::kInt ? std::optional(value.integer) : std::nullopt;
}

/// The same for a source and dim given by the user.
std::optional<int64_t> SizeOf(const CallHistory& history, const CallSignature& call,
                              const SizeSource& wanted) {
  for (size_t source = 0; source < history.sources.size(); ++source) {
    if (NameOfSource(history.strings.text(history.sources[source])) == wanted.name) {
      return SizeIn(history, call, source, wanted.dim);
    }
  }
  return std::nullopt;
}

bool HasSize(const Group& group, const SizeSource& wanted) {
  return llvm::any_of(group.histories, [&](const CallHistory* history) {
    return llvm::any_of(history->signatures, [&](const CallSignature& call) {
      return SizeOf(*history, call, wanted).has_value();
    });
  });
}

/// A dim that is not the same in all calls.
struct VaryingDim {
  size_t group;
  SizeSource source;
  size_t num_sizes;
};

std::vector<VaryingDim> VaryingDims(const std::vector<Group>& groups) {
  std::vector<VaryingDim> varying;
  for (size_t group = 0; group < groups.size(); ++group) {
    std::map<std::pair<std::string, int64_t>, std::set<int64_t>> sizes;
    for (const CallHistory* history : groups[group].histories) {
      for (size_t source = 0; source < history->sources.size(); ++source) {
        const std::string name = NameOfSource(history->strings.text(history->sources[source]));
        for (const CallSignature& call : history->signatures) {
          for (int64_t dim = 0;; ++dim) {
            const std::optional<int64_t> size = SizeIn(*history, call, source, dim);
            if (!size) break;
            sizes[{name, dim}].insert(*size);
          }
        }
      }
    }
    for (const auto& [dim, seen] : sizes) {
      if (seen.size() > 1) varying.push_back({group, {dim.first, dim.second}, seen.size()});
    }
  }
  return varying;
}

std::string NameOf(const SizeSource& source) {
  return source.dim ? source.name + ":" + std::to_string(*source.dim) : source.name;
}

/// Dims of other tensors that are as large as `wanted` in every call.
std::vector<std::string> SameDims(const Group& group, const SizeSource& wanted) {
  std::vector<std::string> same;
  if (!wanted.dim) return same;
  const CallHistory& first = *group.histories.front();
  for (const StrId source : first.sources) {
    const std::string name = NameOfSource(first.strings.text(source));
    if (name == wanted.name) continue;
    for (int64_t dim = 0; dim < kMaxDims; ++dim) {
      const SizeSource other{name, dim};
      bool has_size = false;
      const bool is_same = llvm::all_of(group.histories, [&](const CallHistory* history) {
        return llvm::all_of(history->signatures, [&](const CallSignature& call) {
          const std::optional<int64_t> size = SizeOf(*history, call, wanted);
          has_size |= size.has_value();
          return !size || SizeOf(*history, call, other) == size;
        });
      });
      if (is_same && has_size) same.push_back(NameOf(other));
    }
  }
  return same;
}

/// The one of `varying` that all others equal in every call, the first in the order of arguments;
/// null: they are of several functions, or they differ.
const VaryingDim* OnlySize(const std::vector<Group>& groups,
                           const std::vector<VaryingDim>& varying) {
  if (varying.size() == 1) return varying.data();
  if (varying.empty() || varying.front().group != varying.back().group) return nullptr;
  const Group& group = groups[varying.front().group];
  const CallHistory& history = *group.histories.front();
  for (const StrId source : history.sources) {
    const auto first = llvm::find_if(varying, [&](const VaryingDim& dim) {
      return dim.source.name == NameOfSource(history.strings.text(source));
    });
    if (first == varying.end()) continue;
    const std::vector<std::string> same = SameDims(group, first->source);
    const bool are_all = llvm::all_of(varying, [&](const VaryingDim& dim) {
      return &dim == &*first || llvm::is_contained(same, NameOf(dim.source));
    });
    return are_all ? &*first : nullptr;
  }
  return nullptr;
}

class RecordSizes final : public SizeFormReader {
 public:
  explicit RecordSizes(SizeRows& rows)
      : SizeFormReader(rows), records_(NewCallRecordLines(functions_, rows.totals.lines)) {
    rows_.totals.form = SizeForm::kCallRecords;
  }

  void Finish() override {
    records_->Finish();
    const std::vector<Group> groups = Groups();
    if (groups.empty()) {
      std::vector<std::string> names;
      for (const auto& function : functions_) {
        if (!llvm::is_contained(names, function->function)) names.push_back(function->function);
      }
      if (names.empty()) return;
      return rows_.Fail("there is no function '" + rows_.query.function + "': it has " +
                        QuotedNames(names));
    }
    std::vector<SizeSource> sources;
    for (const std::string& text : rows_.query.sources) sources.push_back(ParseSizeSource(text));
    if (const std::optional<size_t> chosen = Choose(groups, sources)) {
      Emit(groups[*chosen], sources);
    }
  }

 private:
  void OnLines(std::string_view lines, uint64_t first_line) override {
    records_->OnLines(lines, first_line);
  }
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    return records_->OnPiece(piece, line, is_first, is_last);
  }
  void OnLine(std::string_view, uint64_t) override {}

  std::vector<Group> Groups() const {
    std::vector<Group> groups;
    std::map<std::tuple<std::string, std::string, uint32_t>, size_t> numbers;
    for (const auto& function : functions_) {
      if (!rows_.query.function.empty() && function->function != rows_.query.function) continue;
      const auto [known, is_new] =
          numbers.try_emplace({function->function, function->file, function->line}, groups.size());
      if (is_new) groups.push_back({.function = function->function, .histories = {}});
      groups[known->second].histories.push_back(&function->history);
      groups[known->second].is_ordered &= function->unordered_calls == 0;
    }
    return groups;
  }

  /// The group to use; completes `sources`. Absent: the choice is ambiguous, and the error says so.
  std::optional<size_t> Choose(const std::vector<Group>& groups, std::vector<SizeSource>& sources) {
    if (sources.empty()) {
      const std::vector<VaryingDim> varying = VaryingDims(groups);
      if (const VaryingDim* const only = OnlySize(groups, varying)) {
        sources = {only->source};
        return only->group;
      }
      rows_.Fail(varying.empty()
                     ? "no dim varies in it; name the size, as in --source x:1"
                     : "nothing says which size is meant: " + Described(groups, varying));
      return std::nullopt;
    }
    std::vector<size_t> fitting;
    for (size_t group = 0; group < groups.size(); ++group) {
      const bool fits = std::ranges::all_of(
          sources, [&](const SizeSource& source) { return HasSize(groups[group], source); });
      if (fits) fitting.push_back(group);
    }
    if (fitting.size() == 1) return fitting[0];
    const std::string names = Joined(sources, ", ", NameOf);
    if (fitting.empty()) {
      rows_.Fail("no function in it has " + names + ": " + Described(groups, VaryingDims(groups)));
    } else {
      std::vector<std::string> functions;
      for (const size_t group : fitting) functions.push_back(groups[group].function);
      rows_.Fail("several functions have " + names + ": " + QuotedNames(functions) +
                 "; name one with --function");
    }
    return std::nullopt;
  }

  static std::string Described(const std::vector<Group>& groups,
                               const std::vector<VaryingDim>& varying) {
    constexpr size_t kMaxListed = 12;
    if (varying.empty()) return "no dim varies in it";
    std::string text =
        Joined(varying | std::views::take(kMaxListed), ", ", [&](const VaryingDim& dim) {
          return NameOf(dim.source) +
                 (groups.size() > 1 ? " of '" + groups[dim.group].function + "'" : "") + " (" +
                 std::to_string(dim.num_sizes) + " sizes)";
        });
    if (varying.size() > kMaxListed)
      text += " and " + std::to_string(varying.size() - kMaxListed) + " more";
    text += varying.size() == 1 ? " varies" : " vary";
    text += "; name it, as in --source " + NameOf(varying[0].source);
    return text + (groups.size() > 1 ? " --function " + groups[varying[0].group].function : "");
  }

  void Emit(const Group& group, const std::vector<SizeSource>& sources) {
    for (const SizeSource& source : sources) rows_.totals.columns.push_back(NameOf(source));
    rows_.totals.is_ordered = group.histories.size() == 1 && group.is_ordered;
    rows_.totals.same = SameDims(group, sources.front());
    for (const CallHistory* history : group.histories) {
      std::vector<std::optional<Sizes>> by_signature;
      for (const CallSignature& call : history->signatures) {
        by_signature.push_back(SizesIn(*history, call, sources));
      }
      const std::vector<RecordedCall>& calls = history->calls;
      for (size_t begin = 0, end = 0; begin < calls.size(); begin = end) {
        const std::optional<Sizes>& sizes = by_signature[calls[begin].signature];
        while (end < calls.size() && calls[end].signature == calls[begin].signature) ++end;
        if (!sizes) {
          rows_.totals.without += end - begin;
        } else if (const std::string_view why = rows_.sink(*sizes, end - begin); !why.empty()) {
          rows_.totals.lines.NoteDamage(0, std::string(why));
        }
      }
    }
  }

  static std::optional<Sizes> SizesIn(const CallHistory& history, const CallSignature& call,
                                      const std::vector<SizeSource>& sources) {
    Sizes sizes{1, 1, 1};
    for (size_t dim = 0; dim < sources.size(); ++dim) {
      const std::optional<int64_t> size = SizeOf(history, call, sources[dim]);
      if (!size || *size < 0 || *size > kMaxSize) return std::nullopt;
      sizes[dim] = *size;
    }
    return sizes;
  }

  RecordedFunctions functions_;
  std::unique_ptr<CallRecordLines> records_;
};

}  // namespace

SizeSource ParseSizeSource(std::string_view text) {
  text = Trim(text);
  SizeSource source;
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    source.dim = ParseNumber(text.substr(colon + 1));
    if (source.dim) text = text.substr(0, colon);
  }
  source.name = NameOfSource(text);
  return source;
}

std::unique_ptr<SizeFormReader> NewRecordSizes(SizeRows& rows) {
  return std::make_unique<RecordSizes>(rows);
}

}  // namespace shapewise
