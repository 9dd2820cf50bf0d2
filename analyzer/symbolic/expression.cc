#include "symbolic/expression.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "support/text_scan.h"
#include "symbolic/storage.h"

namespace shapewise {
namespace {

constexpr size_t kFirstSlots = 256;

uint32_t HashOf(ExprKind kind, int64_t payload, std::span<const ExprId> operands) {
  uint64_t hash =
      static_cast<uint64_t>(payload) * 0x9E3779B97F4A7C15U + static_cast<uint64_t>(kind);
  for (const ExprId operand : operands) {
    hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9U + static_cast<uint64_t>(operand);
  }
  hash = (hash ^ (hash >> 32)) * 0x94D049BB133111EBU;
  return static_cast<uint32_t>(hash >> 32);
}

// Sorts "s2" before "s10". Numbers of equal value but different length are distinguished at the
// end.
int CompareNames(std::string_view a, std::string_view b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!IsDigit(a[i]) || !IsDigit(b[j])) {
      if (a[i] != b[j])
        return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]) ? -1 : 1;
      ++i;
      ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    const size_t a_begin = i;
    const size_t b_begin = j;
    while (i < a.size() && IsDigit(a[i])) ++i;
    while (j < b.size() && IsDigit(b[j])) ++j;
    if (i - a_begin != j - b_begin) return i - a_begin < j - b_begin ? -1 : 1;
    const int order = a.substr(a_begin, i - a_begin).compare(b.substr(b_begin, j - b_begin));
    if (order != 0) return order;
  }
  if (i < a.size() || j < b.size()) return i < a.size() ? 1 : -1;
  return a.compare(b);
}

// "zf0" and "zuf3" are float symbols. Source: SymT in torch/utils/_sympy/symbol.py.
bool IsFloatSymbol(std::string_view name) {
  size_t prefix = 0;
  if (name.starts_with("zuf")) prefix = 3;
  if (name.starts_with("zf")) prefix = 2;
  return prefix != 0 && prefix < name.size() &&
         std::all_of(name.begin() + static_cast<ptrdiff_t>(prefix), name.end(), IsDigit);
}

}  // namespace

ExprPool::Storage::Storage() : slots_(kFirstSlots) { nodes.emplace_back(); }

void ExprPool::Storage::Grow() {
  slots_.assign(slots_.size() * 2, 0);
  const size_t mask = slots_.size() - 1;
  for (uint32_t id = 1; id < nodes.size(); ++id) {
    size_t slot = nodes[id].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id;
  }
}

ExprId ExprPool::Storage::Intern(ExprKind kind, int64_t payload, std::span<const ExprId> operands,
                                 NumberKind number) {
  const uint32_t hash = HashOf(kind, payload, operands);
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const ExprNode& known = nodes[slots_[slot]];
    if (known.hash == hash && known.kind == kind && known.payload == payload &&
        known.num_operands == operands.size() &&
        std::equal(operands.begin(), operands.end(), known.operands)) {
      return static_cast<ExprId>(slots_[slot]);
    }
  }

  ExprNode node{.kind = kind, .number = number, .hash = hash, .payload = payload};
  uint64_t tree_size = 1;
  for (const ExprId operand : operands) {
    if (operand == ExprId::kNone) return ExprId::kNone;
    node.depth = std::max<uint16_t>(node.depth, nodes[static_cast<uint32_t>(operand)].depth + 1);
    tree_size += nodes[static_cast<uint32_t>(operand)].tree_size;
  }
  const bool is_full = nodes.size() >= std::numeric_limits<uint32_t>::max();
  if (node.depth > kMaxDepth || is_full) return ExprId::kNone;
  node.tree_size =
      static_cast<uint32_t>(std::min<uint64_t>(tree_size, std::numeric_limits<uint32_t>::max()));
  node.num_operands = static_cast<uint32_t>(operands.size());
  if (!operands.empty()) {
    ExprId* copy = arena_.Allocate<ExprId>(operands.size());
    std::copy(operands.begin(), operands.end(), copy);
    node.operands = copy;
  }
  const auto id = static_cast<uint32_t>(nodes.size());
  nodes.push_back(node);
  slots_[slot] = id;
  if (nodes.size() * 2 > slots_.size()) Grow();
  return static_cast<ExprId>(id);
}

ExprId ExprPool::Storage::Intern(ExprKind kind, std::span<const ExprId> operands) {
  NumberKind number = NumberKind::kInteger;
  const bool is_rounded = kind == ExprKind::kFloorDiv || kind == ExprKind::kCeilDiv;
  if (!IsPredicate(kind) && !is_rounded) {
    for (const ExprId operand : operands) {
      number = std::max(number, node(operand).number);
    }
    if (kind == ExprKind::kTrueDiv) number = std::max(number, NumberKind::kRational);
  }
  return Intern(kind, 0, operands, number);
}

int ExprPool::Storage::Compare(ExprId a, ExprId b) const {
  if (a == b) return 0;
  const ExprNode& left = node(a);
  const ExprNode& right = node(b);
  if (left.kind != right.kind) return left.kind < right.kind ? -1 : 1;
  if (left.kind == ExprKind::kSymbol || left.kind == ExprKind::kCall) {
    const int order = CompareNames(name(a), name(b));
    if (order != 0) return order;
  } else if (left.payload != right.payload) {
    return left.payload < right.payload ? -1 : 1;
  }
  const uint32_t shared = std::min(left.num_operands, right.num_operands);
  for (uint32_t i = 0; i < shared; ++i) {
    const int order = Compare(left.operands[i], right.operands[i]);
    if (order != 0) return order;
  }
  return left.num_operands < right.num_operands ? -1 : 1;
}

int ExprPool::Storage::CompareFactors(ExprId a, ExprId b) const {
  if (a == b) return 0;
  const auto split = [&](ExprId id, int64_t& exponent) {
    exponent = 1;
    if (kind(id) != ExprKind::kPower || kind(operands(id)[1]) != ExprKind::kInteger) return id;
    exponent = node(operands(id)[1]).payload;
    return operands(id)[0];
  };
  int64_t a_exponent = 1;
  int64_t b_exponent = 1;
  const int order = Compare(split(a, a_exponent), split(b, b_exponent));
  if (order != 0) return order;
  return a_exponent < b_exponent ? -1 : 1;
}

int ExprPool::Storage::CompareTerms(ExprId a, ExprId b) const {
  if (a == b) return 0;
  const auto factors = [&](const ExprId& id) {
    return kind(id) == ExprKind::kMul ? operands(id) : std::span<const ExprId>(&id, 1);
  };
  const auto base = [&](ExprId id) {
    const bool is_power =
        kind(id) == ExprKind::kPower && kind(operands(id)[1]) == ExprKind::kInteger;
    return is_power ? operands(id)[0] : id;
  };
  const std::span<const ExprId> left = factors(a);
  const std::span<const ExprId> right = factors(b);
  const size_t shared = std::min(left.size(), right.size());
  for (size_t i = 0; i < shared; ++i) {
    const int order = CompareFactors(left[i], right[i]);
    if (order == 0) continue;
    return base(left[i]) == base(right[i]) ? -order : order;
  }
  return left.size() > right.size() ? -1 : 1;
}

ExprPool::ExprPool() : storage_(std::make_unique<Storage>()) {}
ExprPool::~ExprPool() = default;

ExprId ExprPool::Integer(int64_t value) {
  return storage_->Intern(ExprKind::kInteger, value, {}, NumberKind::kInteger);
}

ExprId ExprPool::Infinity(bool is_negative) {
  return storage_->Intern(ExprKind::kInfinity, is_negative ? -1 : 1, {}, NumberKind::kInteger);
}

ExprId ExprPool::Symbol(std::string_view name) {
  if (name.empty()) return ExprId::kNone;
  const StrId text = storage_->names.Intern(name);
  const auto index = static_cast<size_t>(text);
  std::vector<ExprId>& known = storage_->symbol_of_name;
  if (index >= known.size()) known.resize(std::max(index + 1, 2 * known.size()));
  if (known[index] == ExprId::kNone) {
    known[index] =
        storage_->Intern(ExprKind::kSymbol, static_cast<int64_t>(text), {},
                         IsFloatSymbol(name) ? NumberKind::kFloat : NumberKind::kInteger);
  }
  return known[index];
}

ExprId ExprPool::Bool(bool value) {
  return storage_->Intern(value ? ExprKind::kTrue : ExprKind::kFalse, 0, {}, NumberKind::kInteger);
}

ExprKind ExprPool::kind(ExprId id) const { return storage_->kind(id); }

int64_t ExprPool::value(ExprId id) const {
  assert(kind(id) == ExprKind::kInteger || kind(id) == ExprKind::kInfinity);
  return storage_->node(id).payload;
}

std::string_view ExprPool::name(ExprId id) const {
  assert(kind(id) == ExprKind::kSymbol || kind(id) == ExprKind::kCall);
  return storage_->name(id);
}

bool ExprPool::IsInteger(ExprId id) const { return storage_->IsInteger(id); }

std::span<const ExprId> ExprPool::operands(ExprId id) const { return storage_->operands(id); }

}  // namespace shapewise
