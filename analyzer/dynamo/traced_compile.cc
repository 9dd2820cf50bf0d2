#include "dynamo/body_parts.h"

#include <algorithm>
#include <set>

#include "model/compile_number.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

bool IsSize(std::string_view source) {
  return ParseSource(source).property == SourceRef::Property::kSize;
}

/// Builds one compilation.
class CompileReader {
 public:
  CompileReader(const Session& session, ExprPool& pool, TracedCompile& compile)
      : session_(session), pool_(pool), compile_(compile) {}

  void Read(const GuardTexts& texts, const std::vector<SymbolFact>& symbols) {
    compile_.is_printed = texts.is_printed && texts.left_out == 0;
    for (const SymbolFact& fact : symbols) AddSymbol(fact);
    for (const ShapeGuard& guard : texts.shape) AddShapeGuard(guard);
    for (const ValueGuard& guard : texts.values) AddValueGuard(guard);
    JoinKeys();
  }

  void ReadShapes(const std::vector<InputShape>& shapes) {
    for (const InputShape& shape : shapes) {
      TracedTensor& tensor = compile_.tensors[std::string(Text(shape.source))];
      for (const std::string_view size : ListElements(Text(shape.shape))) {
        tensor.sizes.push_back(ParseNumber(size).value_or(-1));
      }
    }
  }

  void ReadNodes(const std::vector<NodeShape>& nodes) {
    std::set<std::vector<ExprId>> known;
    for (const TracedSymbol& symbol : compile_.symbols) {
      sources_.try_emplace(pool_.Symbol(symbol.name), pool_.Symbol(symbol.source));
    }
    for (const NodeShape& node : nodes) {
      std::vector<ExprId> shape;
      for (const std::string_view size : ListElements(Text(node.shape))) {
        shape.push_back(OverSources(pool_.Parse(size)));
      }
      if (known.insert(shape).second) compile_.node_shapes.push_back(std::move(shape));
    }
  }

 private:
  std::string_view Text(StrId id) const { return session_.text(id); }

  void AddSymbol(const SymbolFact& fact) {
    const std::string source(Text(fact.source));
    if (fact.kind == SymbolFact::Kind::kCreated) {
      compile_.symbols.push_back(
          {source, std::string(Text(fact.symbol)), ParseNumber(Text(fact.value))});
    } else if (fact.kind == SymbolFact::Kind::kSpecialized) {
      const auto value = ParseNumber(Text(fact.value));
      for (const TracedSymbol& symbol : compile_.symbols) {
        if (value && symbol.name == Text(fact.symbol)) compile_.specialized[symbol.source] = *value;
      }
    }
  }

  /// `expression` with symbols named by their sources; kNone if a symbol has no source.
  ExprId OverSources(ExprId expression) {
    bool is_known = true;
    const ExprId over = pool_.Substitute(expression, [&](ExprId symbol) {
      const auto source = sources_.find(symbol);
      if (source != sources_.end()) return source->second;
      is_known = false;
      return symbol;
    });
    return is_known ? over : ExprId::kNone;
  }

  void AddShapeGuard(const ShapeGuard& guard) {
    const std::string source(Text(guard.source));
    switch (guard.kind) {
      case ShapeGuard::Kind::kTensor: {
        TracedTensor& tensor = compile_.tensors[source];
        tensor.properties = Text(guard.properties);
        tensor.guarded_sizes.clear();
        for (const std::string_view size : ListElements(Text(guard.text))) {
          tensor.guarded_sizes.push_back(ParseNumber(size));
        }
        compile_.looked_at.push_back(source);
        return;
      }
      case ShapeGuard::Kind::kMark:
        if (guard.text != StrId::kNone) compile_.tensors[source].is_marked = true;
        return;
      case ShapeGuard::Kind::kValue:
        if (!compile_.specialized.contains(source)) {
          compile_.constants[source] = Text(guard.text);
        }
        compile_.looked_at.push_back(source);
        return;
      case ShapeGuard::Kind::kLength:
        compile_.constants["len(" + source + ")"] = Text(guard.text);
        compile_.looked_at.push_back(source);
        return;
      case ShapeGuard::Kind::kRelation:
        if (!guard.is_zero_one && !guard.is_duck) AddRelation(guard);
        return;
    }
  }

  void AddRelation(const ShapeGuard& guard) {
    const std::string_view text = Text(guard.text);
    // Every float input has this guard.
    if (text.starts_with("not math.isnan(")) return;
    const ExprId predicate = pool_.Parse(text);
    if (predicate == ExprId::kNone) {
      compile_.not_understood.emplace_back(text);
      return;
    }
    BodyQuestion question;
    question.predicate = predicate;
    question.file = Text(guard.user_file);
    question.line = guard.user_line;
    question.is_operators = guard.is_operators;
    AddPart(question);
  }

  /// "2 <= x.size()[0] <= 26" combines a bound that all sizes have and one that the body requires.
  void AddPart(const BodyQuestion& question) {
    if (pool_.kind(question.predicate) == ExprKind::kAnd) {
      const auto operands = pool_.operands(question.predicate);
      for (const ExprId part : std::vector<ExprId>(operands.begin(), operands.end())) {
        BodyQuestion asked = question;
        asked.predicate = part;
        AddPart(asked);
      }
      return;
    }
    if (IsZeroOne(question.predicate) || IsLayout(question.predicate)) return;
    if (!relations_.insert(question.predicate).second) return;
    if (const auto pinned = Pinned(question.predicate)) {
      compile_.specialized.try_emplace(pinned->first, pinned->second);
      return;
    }
    compile_.relations.push_back(question);
  }

  /// "2 <= x.size()[0]": not caused by code.
  bool IsZeroOne(ExprId predicate) {
    if (pool_.kind(predicate) != ExprKind::kLessEqual) return false;
    const auto operands = pool_.operands(predicate);
    return operands[0] == pool_.Integer(2) && pool_.kind(operands[1]) == ExprKind::kSymbol &&
           IsSize(pool_.name(operands[1]));
  }

  /// "x.stride()[0] == x.size()[1]": how a stride was expressed, not caused by code.
  bool IsLayout(ExprId predicate) {
    if (pool_.kind(predicate) != ExprKind::kEqual) return false;
    const auto is_layout = [&](ExprId side) {
      return pool_.kind(side) == ExprKind::kSymbol && !IsSize(pool_.name(side)) &&
             ParseSource(pool_.name(side)).IsLayout();
    };
    const auto operands = pool_.operands(predicate);
    return is_layout(operands[0]) || is_layout(operands[1]);
  }

  /// "n == 6" for a number that has a symbol.
  std::optional<std::pair<std::string, int64_t>> Pinned(ExprId predicate) {
    if (pool_.kind(predicate) != ExprKind::kEqual) return std::nullopt;
    ExprId left = pool_.operands(predicate)[0];
    ExprId right = pool_.operands(predicate)[1];
    if (pool_.kind(left) == ExprKind::kInteger) std::swap(left, right);
    if (pool_.kind(left) != ExprKind::kSymbol || pool_.kind(right) != ExprKind::kInteger) {
      return std::nullopt;
    }
    return std::pair{std::string(pool_.name(left)), pool_.value(right)};
  }

  void AddValueGuard(const ValueGuard& guard) {
    const std::string source(Text(guard.source));
    compile_.looked_at.push_back(source);
    if (guard.kind == ValueGuard::Kind::kConstant) {
      compile_.constants[source] = Text(guard.text);
    } else if (guard.kind == ValueGuard::Kind::kType) {
      compile_.types[source] = Text(guard.text);
    }
  }

  /// "list(dict.keys(L['d']))[0]" == "'a'", ... -> "list(dict.keys(L['d']))" == "['a', 'b']".
  void JoinKeys() {
    std::map<std::string, std::map<int64_t, std::string>> keys;
    std::erase_if(compile_.constants, [&](const auto& constant) {
      const SourceRef source = ParseSource(constant.first);
      if (source.property != SourceRef::Property::kKey) return false;
      const std::string object(source.object);
      keys["list(dict.keys(" + object + "))"][source.dim] = constant.second;
      compile_.looked_at.push_back(object);
      return true;
    });
    for (const auto& [source, by_index] : keys) {
      std::string list;
      for (const auto& [index, key] : by_index) list += (list.empty() ? "" : ", ") + key;
      compile_.constants[source] = "[" + list + "]";
    }
  }

  const Session& session_;
  ExprPool& pool_;
  TracedCompile& compile_;
  std::map<ExprId, ExprId> sources_;  // by symbol
  std::set<ExprId> relations_;
};

}  // namespace

const TracedSymbol* TracedCompile::SymbolOf(std::string_view source) const {
  const auto found = std::ranges::find(symbols, source, &TracedSymbol::source);
  return found == symbols.end() ? nullptr : &*found;
}

std::optional<int64_t> TracedCompile::SizeOf(std::string_view source) const {
  const SourceRef part = ParseSource(source);
  const auto tensor = tensors.find(std::string(part.object));
  if (part.property != SourceRef::Property::kSize || tensor == tensors.end()) return std::nullopt;
  const auto dim = static_cast<size_t>(part.dim);
  const std::vector<int64_t>& sizes = tensor->second.sizes;
  return dim < sizes.size() ? std::optional(sizes[dim]) : std::nullopt;
}

bool TracedCompile::IsSymbolic(std::string_view source) const {
  return SymbolOf(source) != nullptr && !specialized.contains(std::string(source));
}

std::map<int32_t, std::vector<CompileRecord>> FindCompileRecords(const Session& session) {
  std::map<int32_t, std::vector<CompileRecord>> records;
  const auto add = [&](const auto& compiled, StrId function) -> CompileRecord* {
    const auto number = ParseCompileNumber(session.text(compiled.compile_id));
    if (!number) return nullptr;
    return &records[compiled.rank].emplace_back(CompileRecord{.frame = number->frame,
                                                              .function = session.text(function),
                                                              .file = session.text(compiled.file),
                                                              .line = compiled.function_line});
  };
  for (const Compilation& compilation : session.compilations()) {
    if (compilation.outcome == CompileOutcome::kBackward || !compilation.is_finished) continue;
    CompileRecord* const record = add(compilation, compilation.function);
    if (record != nullptr) record->compilation = &compilation;
  }
  // A text log prints guards only: everything else is unknown.
  std::set<int32_t> traced;
  for (const auto& [rank, of_rank] : records) traced.insert(rank);
  for (const PrintedGuards& printed : session.printed_guards()) {
    if (traced.contains(printed.rank) || !printed.guard_texts.is_printed) continue;
    const bool has_function = printed.function != StrId::kNone;
    CompileRecord* const record =
        add(printed, has_function ? printed.function : printed.user_function);
    if (record != nullptr) record->printed = &printed;
  }
  return records;
}

int32_t FirstRank(const Session& session) {
  if (!session.compilations().empty()) return session.compilations().front().rank;
  if (!session.printed_guards().empty()) return session.printed_guards().front().rank;
  return kNoRank;
}

TracedCompile ReadTracedCompile(const Session& session, const CompileRecord& record,
                                ExprPool& pool) {
  TracedCompile compile;
  compile.frame = record.frame;
  compile.function = record.function;
  compile.file = record.file;
  compile.line = record.line;
  CompileReader reader(session, pool, compile);
  if (record.compilation == nullptr) {
    reader.Read(record.printed->guard_texts, record.printed->symbols);
    compile.has_code = true;
    return compile;
  }
  const Compilation& compilation = *record.compilation;
  reader.Read(compilation.guard_texts, compilation.symbols);
  reader.ReadShapes(compilation.shapes);
  reader.ReadNodes(compilation.node_shapes);
  compile.is_failed = compilation.outcome == CompileOutcome::kFailed;
  compile.has_code = !compile.is_failed && compilation.guard_texts.is_printed;
  compile.graphs = static_cast<uint32_t>(
      std::ranges::count_if(compilation.payloads, [&](const PayloadPlace& place) {
        return session.text(place.name) == "dynamo_output_graph";
      }));
  compile.is_from_inductor =
      std::ranges::any_of(compilation.payloads, [&](const PayloadPlace& place) {
        return session.text(place.name) == "inductor_output_code";
      });
  for (const StrId source : compilation.mutated) {
    compile.mutated.emplace_back(session.text(source));
  }
  for (const PassedTensor& tensor : compilation.passed) {
    compile.passed.emplace(session.text(tensor.source), session.text(tensor.argument));
  }
  return compile;
}

}  // namespace shapewise
