#include "syntax/parse_unit.h"

#include <algorithm>

#include "pyast/parser.h"
#include "syntax/unit_text.h"
#include "syntax/unit_tree.h"

namespace shapewise {
namespace {

/// Hand-written functions are smaller, and tables of constants are irrelevant.
constexpr size_t kMaxUnitBytes = size_t{1} << 24;
/// Text with more faults is not Python.
constexpr size_t kMaxFaults = 100;

}  // namespace

struct UnitParser::State {
  llvm::BumpPtrAllocator arena;  ///< for the unit being parsed
  pyast::Parser parser{arena};
};

UnitParser::UnitParser() : state_(std::make_unique<State>()) {}
UnitParser::~UnitParser() = default;

ParsedUnit UnitParser::Parse(std::string_view text, llvm::ArrayRef<FileSpan> ranges,
                             TreeArena& arena) {
  ParsedUnit parsed;
  if (ranges.empty() || ranges.front().begin == ranges.back().end) return parsed;
  const size_t size = ranges.back().end - ranges.front().begin;
  if (size > kMaxUnitBytes) {
    auto* unreadable = new (arena.Allocate<Stmt>()) Stmt();
    unreadable->span.end = static_cast<uint32_t>(std::min<size_t>(size, UINT32_MAX));
    auto** body = arena.Allocate<const Stmt*>(1);
    *body = unreadable;
    parsed.body = {body, 1};
    parsed.faults.push_back({unreadable->span, "too long to be read"});
    return parsed;
  }
  const UnitText unit(text, ranges);
  const pyast::Module& module =
      *state_->parser.ParseModule(unit.parsed(), /*first_is_base=*/ranges.front().begin > 0);
  parsed.body = UnitTree(unit, arena).Block(module.body);
  for (const pyast::Fault& fault : state_->parser.faults()) {
    if (parsed.faults.size() == kMaxFaults) break;
    parsed.faults.push_back({unit.Original(fault.span.begin, fault.span.end), fault.message});
  }
  state_->arena.Reset();
  return parsed;
}

}  // namespace shapewise
