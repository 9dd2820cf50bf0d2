// A path through a body is what one compilation saw: the constants that it depended on, and the
// relations between sizes. Several combined paths are the body, as far as it is known.

#include "dynamo/body_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Tensors of a module belong to the module, not to a call: they are static unless a setting
/// changes that.
bool IsModuleTensor(const std::string& source, const TracedTensor& tensor) {
  return tensor.IsParameter() || std::ranges::any_of(ParseSource(source).path, [](SourceStep step) {
           return step.kind == SourceStep::Kind::kTensor;
         });
}

/// "L['self']._buffers['steps'].item()": the number in a tensor is a symbol in every compile.
bool IsNumberOfTensor(std::string_view source) { return source.ends_with(".item()"); }

/// "L['x']": not a part of anything else, so every call has it.
bool IsWholeLocal(std::string_view source) {
  const SourceRef parsed = ParseSource(source);
  return source.starts_with("L[") && parsed.path.empty() &&
         parsed.property == SourceRef::Property::kValue;
}

/// One path, before paths are combined.
struct Path {
  std::map<std::string, std::string> constants;
  // Sizes that were neither symbols nor specialized.
  std::map<std::string, std::string> static_sizes;
  std::map<std::string, int64_t> specialized;
  std::vector<BodyQuestion> relations;
  uint32_t graphs = 1;
  std::optional<uint32_t> static_graphs;  // of the same path without symbols, if not `graphs`
  std::vector<std::string> symbols;
  bool is_special = false;  // as in BodyPath

  /// The predicates of `relations`.
  std::set<ExprId> Predicates() const {
    std::set<ExprId> predicates;
    for (const BodyQuestion& relation : relations) predicates.insert(relation.predicate);
    return predicates;
  }
  bool HasSameRelations(const Path& other) const {
    return relations.size() == other.relations.size() && Predicates() == other.Predicates();
  }
};

class FrameReader {
 public:
  FrameReader(const std::vector<const TracedCompile*>& compiles, ExprPool& pool)
      : all_(compiles), pool_(pool) {
    for (const TracedCompile* compile : compiles) {
      if (compile->has_code) traced_.push_back(compile);
    }
  }

  BodyFrame Read() {
    frame_.name = all_.front()->function;
    if (traced_.empty()) return ReadUntraced();
    frame_.knowledge = BodyKnowledge::kObserved;
    frame_.lists_all = true;
    frame_.keeps_entry = true;
    ReadSources();
    ReadPaths();
    JudgeSpecialized();
    OrderPaths();
    LayOut();
    frame_.changes_own_guards = ChangesOwnGuards();
    for (const TracedCompile* compile : traced_) {
      if (compile->not_understood.empty()) continue;
      frame_.knowledge = BodyKnowledge::kUnknown;
      frame_.unknown_because =
          "the guard " + compile->not_understood.front() + " is not understood";
    }
    return std::move(frame_);
  }

 private:
  /// No compilation made code.
  BodyFrame ReadUntraced() {
    const bool is_empty =
        std::ranges::none_of(all_, [](const TracedCompile* compile) { return compile->is_failed; });
    if (!is_empty) {
      frame_.unknown_because =
          "every compile of " + frame_.name + " raised; probe it without marks";
      return std::move(frame_);
    }
    frame_.knowledge = BodyKnowledge::kObserved;
    frame_.graphs = 0;
    for (const TracedCompile* compile : all_) {
      frame_.graphs = std::max(frame_.graphs, compile->graphs);
    }
    frame_.keeps_entry = frame_.graphs > 0;
    frame_.explored.emplace_back();
    frame_.paths.emplace_back().graphs = frame_.graphs;
    for (const TracedCompile* compile : all_) {
      for (const auto& [source, tensor] : compile->tensors) AddSource(source, SourceUse::kTensor);
    }
    return std::move(frame_);
  }

  void AddSource(const std::string& source, SourceUse use) {
    if (known_sources_.insert(source).second) frame_.sources.push_back({source, use});
  }

  void ReadSources() {
    // Tensors and numbers in the order in which their symbols were made; then the rest.
    for (const TracedCompile* compile : traced_) {
      for (const TracedSymbol& symbol : compile->symbols) {
        if (IsNumberOfTensor(symbol.source)) continue;
        const std::string source(ParseSource(symbol.source).object);
        const auto tensor = compile->tensors.find(source);
        if (tensor == compile->tensors.end()) {
          AddSource(source, SourceUse::kProfiled);
        } else if (!tensor->second.properties.empty()) {
          AddTensor(source, tensor->second);
        }
      }
      for (const auto& [source, tensor] : compile->tensors) {
        if (!tensor.properties.empty()) AddTensor(source, tensor);
      }
    }
    for (const TracedCompile* compile : traced_) {
      for (const auto& [source, text] : compile->constants) AddConstant(source);
    }
    for (const TracedCompile* compile : traced_) {
      for (const auto& [source, type] : compile->types) AddSource(source, SourceUse::kUnread);
      for (const std::string& source : compile->looked_at) AddSource(source, SourceUse::kUnknown);
    }
    DoubtReadings();
  }

  void AddTensor(const std::string& source, const TracedTensor& tensor) {
    AddSource(source,
              IsModuleTensor(source, tensor) ? SourceUse::kStaticTensor : SourceUse::kTensor);
  }

  void AddConstant(const std::string& source) {
    std::string_view inner = source;
    if (ConsumeFront(inner, "len(")) {
      inner.remove_suffix(1);
      return AddSource(std::string(inner), SourceUse::kLength);
    }
    if (ConsumeFront(inner, "list(dict.keys(")) {
      inner.remove_suffix(2);
      return AddSource(std::string(inner), SourceUse::kKeys);
    }
    std::set<std::string> values;
    for (const TracedCompile* compile : traced_) {
      const auto found = compile->constants.find(source);
      if (found != compile->constants.end()) values.insert(found->second);
    }
    // A number is a constant at first, and may become an input after it changed.
    const std::string& first = *values.begin();
    const bool is_number = !first.empty() && (IsDigit(first.back()) || first.back() == '.');
    AddSource(source, is_number && values.size() == 1 && IsWholeLocal(source)
                          ? SourceUse::kUnknown
                          : SourceUse::kConstant);
  }

  /// A value that was read on one path only may or may not be read on a third.
  void DoubtReadings() {
    for (BodySource& source : frame_.sources) {
      if (!IsWholeLocal(source.source)) continue;
      const bool is_always_read = std::ranges::all_of(traced_, [&](const TracedCompile* compile) {
        return std::ranges::find(compile->looked_at, source.source) != compile->looked_at.end() ||
               compile->SymbolOf(source.source) != nullptr;
      });
      if (!is_always_read) source.use = SourceUse::kUnknown;
    }
  }

  void ReadPaths() {
    for (const TracedCompile* compile : traced_) {
      Path path;
      path.constants = compile->constants;
      path.relations = compile->relations;
      path.graphs = compile->graphs;
      for (const TracedSymbol& symbol : compile->symbols) {
        if (compile->IsSymbolic(symbol.source)) path.symbols.push_back(symbol.source);
      }
      path.specialized = compile->specialized;
      for (const auto& [source, tensor] : compile->tensors) {
        if (tensor.properties.empty() || IsModuleTensor(source, tensor)) continue;
        for (size_t dim = 0; dim < tensor.guarded_sizes.size(); ++dim) {
          const std::string name = PropertyText(source, SourceRef::Property::kSize, dim);
          if (!tensor.guarded_sizes[dim] || path.specialized.contains(name)) continue;
          path.static_sizes[name] = std::to_string(*tensor.guarded_sizes[dim]);
        }
      }
      paths_.push_back(std::move(path));
    }
  }

  /// A symbol that became a constant was either compared with that constant, or is specialized for
  /// any value: several values show which.
  void JudgeSpecialized() {
    std::map<std::string, std::set<int64_t>> values;
    for (const Path& path : paths_) {
      for (const auto& [source, value] : path.specialized) values[source].insert(value);
    }
    for (const auto& [source, seen] : values) {
      const ExprId symbol = pool_.Symbol(source);
      if (seen.size() == 1) {
        Compare(source, symbol, *seen.begin());
        continue;
      }
      frame_.specialized.push_back({.symbol = symbol, .file = {}, .line = 0});
      if (AsksTheSame(source)) continue;
      for (Path& path : paths_) {
        const auto found = path.specialized.find(source);
        if (found != path.specialized.end()) {
          path.constants[source] = std::to_string(found->second);
        }
      }
    }
  }

  void Compare(const std::string& source, ExprId symbol, int64_t value) {
    BodyQuestion question;
    question.predicate = pool_.Binary(ExprKind::kEqual, symbol, pool_.Integer(value));
    for (Path& path : paths_) {
      if (path.specialized.contains(source)) path.relations.push_back(question);
    }
  }

  /// Whether paths with different values of `source` ask the same questions. A path with constant
  /// sizes asks fewer.
  bool AsksTheSame(const std::string& source) const {
    for (const Path& path : paths_) {
      for (const Path& other : paths_) {
        if (!path.specialized.contains(source) || !other.specialized.contains(source)) continue;
        if (!path.static_sizes.empty() || !other.static_sizes.empty()) continue;
        if (path.constants != other.constants) continue;
        if (!path.HasSameRelations(other) || path.graphs != other.graphs) return false;
      }
    }
    return true;
  }

  /// A path traced with constant sizes contains less than the same path traced with symbols, and
  /// comes after those. Its graph may lack operators that compute sizes, and then be empty.
  void OrderPaths() {
    for (Path& path : paths_) {
      for (const Path& other : paths_) {
        if (!path.symbols.empty() && other.symbols.empty() && other.constants == path.constants &&
            other.graphs != path.graphs) {
          path.static_graphs = other.graphs;
        }
      }
    }
    std::vector<Path> kept;
    for (Path& path : paths_) {
      path.is_special =
          !path.static_sizes.empty() && std::ranges::any_of(paths_, [&](const Path& other) {
            return other.static_sizes.size() < path.static_sizes.size() &&
                   other.constants == path.constants;
          });
      const bool is_known = std::ranges::any_of(kept, [&](const Path& other) {
        return other.constants == path.constants && other.static_sizes == path.static_sizes &&
               other.HasSameRelations(path);
      });
      if (!is_known) kept.push_back(path);
    }
    std::ranges::stable_partition(kept, [](const Path& path) { return !path.is_special; });
    paths_ = std::move(kept);
  }

  void LayOut() {
    std::set<ExprId> known;
    for (const Path& path : paths_) {
      for (const BodyQuestion& relation : path.relations) {
        if (known.insert(relation.predicate).second) frame_.questions.push_back(relation);
      }
    }
    for (const Path& path : paths_) {
      const std::set<ExprId> predicates = path.Predicates();
      std::string answers;
      for (const BodyQuestion& question : frame_.questions) {
        answers += predicates.contains(question.predicate) ? '1' : '-';
      }
      frame_.explored.push_back(std::move(answers));
      BodyPath& added = frame_.paths.emplace_back();
      added.graphs = path.graphs;
      added.is_special = path.is_special;
      added.static_graphs = path.static_graphs;
      added.symbols = path.symbols;
      for (const auto& [source, text] : path.constants) added.constants.push_back({source, text});
      for (const auto& [source, text] : path.static_sizes)
        added.constants.push_back({source, text});
    }
    frame_.graphs = paths_.front().graphs;
  }

  /// Whether running it changes an attribute that its own guards compare. Two compilations with the
  /// same value rule that out.
  bool ChangesOwnGuards() const {
    for (const TracedCompile* compile : traced_) {
      for (const std::string& object : compile->mutated) {
        for (const auto& [source, text] : compile->constants) {
          const bool is_part = source.size() > object.size() && source.starts_with(object) &&
                               (source[object.size()] == '.' || source[object.size()] == '[');
          if (is_part && !IsUnchanged(source, text, compile)) return true;
        }
      }
    }
    return false;
  }

  bool IsUnchanged(const std::string& source, const std::string& text,
                   const TracedCompile* compile) const {
    return std::ranges::any_of(traced_,
                               [&](const TracedCompile* other) {
                                 return other != compile && other->constants.contains(source);
                               }) &&
           std::ranges::all_of(traced_, [&](const TracedCompile* other) {
             const auto found = other->constants.find(source);
             return found == other->constants.end() || found->second == text;
           });
  }

  const std::vector<const TracedCompile*>& all_;
  std::vector<const TracedCompile*> traced_;
  ExprPool& pool_;
  std::vector<Path> paths_;
  std::set<std::string> known_sources_;
  BodyFrame frame_;
};

std::optional<BodyKnowledge> KnowledgeOf(const std::string& category) {
  if (category == "free") return BodyKnowledge::kNoQuestion;
  if (category == "equality") return BodyKnowledge::kEqualities;
  if (category == "predicate") return BodyKnowledge::kSizeQuestions;
  return std::nullopt;
}

}  // namespace

BodyFrame ReadBodyFrame(const std::vector<const TracedCompile*>& compiles, ExprPool& pool) {
  BodyFrame frame = FrameReader(compiles, pool).Read();
  frame.is_from_inductor = std::ranges::any_of(compiles, [](const TracedCompile* compile) {
    return compile->is_from_inductor && !compile->symbols.empty();
  });
  return frame;
}

BodyFacts BodyOfCategory(const std::string& category) {
  BodyFacts body;
  BodyFrame& frame = body.frames.emplace_back();
  if (const std::optional<BodyKnowledge> knowledge = KnowledgeOf(category)) {
    frame.knowledge = *knowledge;
    frame.reads_all = true;
  } else {
    frame.unknown_because = "the body is not known";
  }
  return body;
}

}  // namespace shapewise
