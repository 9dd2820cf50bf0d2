// One compilation: guard texts and symbols -> constraints.

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "guards/read_entries.h"
#include "guards/size_names.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether the value of `expression` follows from those of its symbols.
bool IsUnderstood(const ExprPool& pool, ExprId expression) {
  std::vector<ExprId> waiting{expression};
  while (!waiting.empty()) {
    const ExprId next = waiting.back();
    waiting.pop_back();
    const ExprKind kind = pool.kind(next);
    if (kind == ExprKind::kNone || kind == ExprKind::kCall || kind == ExprKind::kNot) return false;
    const auto operands = pool.operands(next);
    waiting.insert(waiting.end(), operands.begin(), operands.end());
  }
  return IsPredicate(pool.kind(expression));
}

/// Comments truncate file names: "mp/app/m.py" for "/tmp/app/m.py".
std::string WholeFile(std::string_view printed, const std::string& file) {
  const bool is_clipped =
      !printed.empty() && !printed.starts_with('/') && std::string_view(file).ends_with(printed);
  return is_clipped ? file : std::string(printed);
}

/// Builds one entry.
class EntryBuilder {
 public:
  EntryBuilder(const Session& session, const std::string& file, ExprPool& pool, GuardedEntry& entry)
      : session_(session), file_(file), pool_(pool), entry_(entry) {}

  void Read(const EntryMaterial& material) {
    if (material.symbols != nullptr) ReadSymbols(*material.symbols);
    const GuardTexts& texts = *material.texts;
    entry_.is_printed = texts.is_printed && texts.left_out == 0;
    if (texts.left_out > 0) entry_.why_not = "it has more guards than are kept";
    if (!texts.is_printed) {
      entry_.why_not = "its guards are not printed";
      if (!entry_.added.empty() || !entry_.symbolic.empty()) {
        entry_.why_not += ", only its symbols are";
        entry_.guards.insert(entry_.guards.end(), entry_.added.begin(), entry_.added.end());
        for (const EntryGuard& guard : entry_.added) known_.insert(guard.predicate);
        AddRanges(*material.symbols);
      }
    }
    entry_.others = texts.others;
    for (const ShapeGuard& guard : texts.shape) Add(guard);
    if (!entry_.unread.empty()) entry_.why_not = "a guard is not understood: " + entry_.unread[0];
    if (material.shapes != nullptr) ReadShapes(*material.shapes);
    for (const auto& [symbol, constant] : entry_.constants) {
      entry_.sample.try_emplace(symbol, constant.value);
    }
    // A size without a symbol of its own was equal to one that has a symbol.
    for (const EntryGuard& guard : entry_.guards) InferSample(guard.predicate);
  }

 private:
  std::string_view Text(StrId id) const { return session_.text(id); }

  template <typename Fact>
  Place PlaceOf(const Fact& fact) const {
    return {std::string(Text(fact.user_function)), WholeFile(Text(fact.user_file), file_),
            fact.user_line};
  }

  void AddConstant(const std::string& name, int64_t value, const ShapeGuard& guard) {
    const ExprId symbol = pool_.Symbol(name);
    EntryGuard constant;
    constant.predicate = pool_.Binary(ExprKind::kEqual, symbol, pool_.Integer(value));
    constant.line = {name + " == " + std::to_string(value), PlaceOf(guard),
                     std::string(Text(guard.code))};
    entry_.constants.try_emplace(symbol, EntryConstant{entry_.guards.size(), value});
    known_.insert(constant.predicate);
    entry_.guards.push_back(std::move(constant));
  }

  void AddTensor(const ShapeGuard& guard) {
    const std::string source = WithoutFrame(Text(guard.source));
    entry_.properties[source] = Text(guard.properties);
    const auto sizes = ListElements(Text(guard.text));
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      const std::string name = NameOfSize(source, dim);
      if (const auto size = ParseNumber(sizes[dim])) {
        AddConstant(name, *size, guard);
      } else {
        entry_.symbolic.insert(pool_.Symbol(name));
      }
    }
    const auto strides = ListElements(Text(guard.stride));
    for (size_t dim = 0; dim < strides.size(); ++dim) {
      if (const auto stride = ParseNumber(strides[dim])) {
        AddConstant(NameOfStride(source, dim), *stride, guard);
      }
    }
    AddConstant(NameOfNumDims(source), static_cast<int64_t>(sizes.size()), guard);
  }

  void Add(const ShapeGuard& guard) {
    const std::string source = WithoutFrame(Text(guard.source));
    switch (guard.kind) {
      case ShapeGuard::Kind::kTensor:
        return AddTensor(guard);
      case ShapeGuard::Kind::kValue:
      case ShapeGuard::Kind::kLength: {
        const bool is_length = guard.kind == ShapeGuard::Kind::kLength;
        const auto value = ParseNumber(Text(guard.text));
        if (value) AddConstant(is_length ? NameOfLength(source) : source, *value, guard);
        return;
      }
      case ShapeGuard::Kind::kMark: {
        std::set<int64_t>& dims = entry_.marks[{source, std::string(Text(guard.properties))}];
        for (const std::string_view element : ListElements(Text(guard.text))) {
          if (const auto dim = ParseNumber(element)) dims.insert(*dim);
        }
        return;
      }
      case ShapeGuard::Kind::kRelation:
        return AddRelation(guard);
    }
  }

  void AddRelation(const ShapeGuard& guard) {
    const std::string text = WithoutFrame(Text(guard.text));
    const ExprId predicate = WithoutFrames(pool_, pool_.Parse(Text(guard.text)));
    if (!IsUnderstood(pool_, predicate)) {
      entry_.unread.push_back(text);
      return;
    }
    EntryGuard relation;
    relation.is_duck = guard.is_duck;
    relation.line = {{}, PlaceOf(guard), std::string(Text(guard.code))};
    AddPredicate(predicate, relation, text);
  }

  /// Adds a guard like `like` (which has no text), but with `predicate` and `text`. A range with
  /// two bounds becomes two guards: one of them may be the bound that all sizes have.
  void AddPredicate(ExprId predicate, const EntryGuard& like, std::string text) {
    if (pool_.kind(predicate) == ExprKind::kAnd) {
      const auto operands = pool_.operands(predicate);
      const std::vector<ExprId> parts(operands.begin(), operands.end());
      for (const ExprId part : parts) AddPredicate(part, like, pool_.ToText(part));
      return;
    }
    if (!known_.insert(predicate).second && !entry_.is_printed) return;
    EntryGuard guard = like;
    guard.line.guard = std::move(text);
    guard.predicate = predicate;
    guard.is_zero_one = IsZeroOne(predicate);
    if (guard.line.user.file.empty()) TakePlaceOfAdded(guard);
    for (const ExprId symbol : pool_.SymbolsOf(predicate)) NoteSymbolic(symbol);
    entry_.guards.push_back(std::move(guard));
  }

  void NoteSymbolic(ExprId symbol) {
    if (!entry_.constants.contains(symbol)) entry_.symbolic.insert(symbol);
  }

  /// "2 <= x.size()[0]".
  bool IsZeroOne(ExprId predicate) {
    const std::vector<ExprId> symbols = pool_.SymbolsOf(predicate);
    return symbols.size() == 1 && DomainOf(pool_.name(symbols[0])).lower == 0 &&
           predicate == pool_.Binary(ExprKind::kLessEqual, pool_.Integer(2), symbols[0]);
  }

  /// Some guards are printed without the line that caused them; the added guard contains it.
  void TakePlaceOfAdded(EntryGuard& guard) const {
    for (const EntryGuard& added : entry_.added) {
      if (added.predicate != guard.predicate) continue;
      guard.line.user = added.line.user;
      guard.line.code = added.line.code;
      return;
    }
  }

  void ReadSymbols(const std::vector<SymbolFact>& facts) {
    std::map<StrId, ExprId> sources;  // by symbol
    for (const SymbolFact& fact : facts) {
      if (fact.kind != SymbolFact::Kind::kCreated) continue;
      const ExprId symbol = pool_.Symbol(WithoutFrame(Text(fact.source)));
      sources[fact.symbol] = symbol;
      entry_.symbolic.insert(symbol);
      if (const auto value = ParseNumber(Text(fact.value))) entry_.sample[symbol] = *value;
    }
    for (const SymbolFact& fact : facts) {
      if (fact.kind == SymbolFact::Kind::kSpecialized) {
        const auto known = sources.find(fact.symbol);
        const auto value = ParseNumber(Text(fact.value));
        if (known != sources.end() && value) entry_.specializations[known->second] = *value;
      } else if (fact.kind == SymbolFact::Kind::kGuardAdded) {
        AddAdded(fact, sources);
      }
    }
  }

  void AddAdded(const SymbolFact& fact, const std::map<StrId, ExprId>& sources) {
    bool is_known = true;
    const ExprId predicate = pool_.Substitute(pool_.Parse(Text(fact.expr)), [&](ExprId symbol) {
      for (const auto& [name, source] : sources) {
        if (pool_.name(symbol) == Text(name)) return source;
      }
      is_known = false;
      return symbol;
    });
    if (!is_known || !IsUnderstood(pool_, predicate)) return;
    EntryGuard guard;
    guard.predicate = predicate;
    guard.line = {pool_.ToText(predicate), PlaceOf(fact), {}};
    entry_.added.push_back(std::move(guard));
  }

  /// "[2, int_oo]" of each symbol that was created.
  void AddRanges(const std::vector<SymbolFact>& facts) {
    for (const SymbolFact& fact : facts) {
      if (fact.kind != SymbolFact::Kind::kCreated) continue;
      const ExprId symbol = pool_.Symbol(WithoutFrame(Text(fact.source)));
      const auto bounds = ListElements(Text(fact.range));
      if (bounds.size() != 2) continue;
      const auto add = [&](ExprId predicate) {
        EntryGuard guard;
        guard.line.user = PlaceOf(fact);
        AddPredicate(predicate, guard, pool_.ToText(predicate));
      };
      if (const auto lower = ParseNumber(bounds[0])) {
        add(pool_.Binary(ExprKind::kLessEqual, pool_.Integer(*lower), symbol));
      }
      if (const auto upper = ParseNumber(bounds[1]); upper && *upper < (int64_t{1} << 62)) {
        add(pool_.Binary(ExprKind::kLessEqual, symbol, pool_.Integer(*upper)));
      }
    }
  }

  void ReadShapes(const std::vector<InputShape>& shapes) {
    for (const InputShape& shape : shapes) {
      const std::string source = WithoutFrame(Text(shape.source));
      const auto take = [&](StrId list, std::string (*name)(std::string_view, size_t)) {
        const auto elements = ListElements(Text(list));
        for (size_t dim = 0; dim < elements.size(); ++dim) {
          const auto value = ParseNumber(elements[dim]);
          if (value) entry_.sample.try_emplace(pool_.Symbol(name(source, dim)), *value);
        }
      };
      take(shape.shape, NameOfSize);
      take(shape.stride, NameOfStride);
    }
  }

  /// "y.size()[0] == x.size()[0]" gives one value when the other is known.
  void InferSample(ExprId predicate) {
    if (pool_.kind(predicate) != ExprKind::kEqual) return;
    const auto operands = pool_.operands(predicate);
    const ExprId left = operands[0];
    const ExprId right = operands[1];
    const auto infer = [&](ExprId symbol, ExprId from) {
      if (pool_.kind(symbol) != ExprKind::kSymbol || entry_.sample.contains(symbol)) return;
      const auto value = pool_.Evaluate(from, [&](ExprId known) -> std::optional<int64_t> {
        const auto found = entry_.sample.find(known);
        if (found == entry_.sample.end()) return std::nullopt;
        return found->second;
      });
      if (value) entry_.sample[symbol] = *value;
    };
    infer(left, right);
    infer(right, left);
  }

  const Session& session_;
  const std::string& file_;
  ExprPool& pool_;
  GuardedEntry& entry_;
  std::set<ExprId> known_;  ///< predicates of the entry's guards
};

}  // namespace

void ReadEntry(const EntryMaterial& material, const Session& session, const std::string& file,
               ExprPool& pool, GuardedEntry& entry) {
  EntryBuilder(session, file, pool, entry).Read(material);
}

}  // namespace shapewise
