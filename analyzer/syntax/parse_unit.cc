#include "shapewise/syntax/parse_unit.h"

#include <algorithm>

#include "syntax/block_reader.h"
#include "syntax/line_shapes.h"
#include "syntax/parse_arena.h"
#include "syntax/syntax_tree.h"
#include "syntax/tree_builder.h"
#include "syntax/unit_text.h"

namespace shapewise {
namespace {

/// Nobody writes a function of this size by hand, and a table of constants is not of interest.
constexpr size_t kMaxUnitBytes = size_t{1} << 24;

}  // namespace

struct UnitParser::State {
  ParseArena arena;
  UnitText unit;
  LineShapes shapes{arena};
  SyntaxTree tree;  ///< of a unit that was parsed as a whole
};

UnitParser::UnitParser() : state_(std::make_unique<State>()) {}
UnitParser::~UnitParser() = default;

ParsedUnit UnitParser::Parse(std::string_view text, llvm::ArrayRef<FileSpan> ranges,
                             llvm::BumpPtrAllocator& arena) {
  ParsedUnit parsed;
  if (ranges.empty() || ranges.front().begin == ranges.back().end) return parsed;
  const size_t begin = ranges.front().begin;
  const auto give_up = [&](std::string message) {
    auto* unreadable = new (arena.Allocate<Stmt>()) Stmt();
    unreadable->span.end =
        static_cast<uint32_t>(std::min<size_t>(ranges.back().end - begin, UINT32_MAX));
    auto** body = arena.Allocate<const Stmt*>(1);
    *body = unreadable;
    parsed.body = {body, 1};
    parsed.faults.push_back({unreadable->span, std::move(message)});
  };
  if (ranges.back().end - begin > kMaxUnitBytes) {
    give_up("too long to be read");
    return parsed;
  }

  state_->unit.Build(text, ranges, parsed.faults);
  TreeBuilder builder(state_->unit, text.substr(begin), arena, parsed.faults);
  if (parsed.faults.empty()) {
    BlockReader reader(state_->unit, state_->shapes, builder, arena);
    if (const auto body = reader.Read()) {
      parsed.body = *body;
      return parsed;
    }
  }
  if (!ParseSyntax(state_->unit.text(), state_->arena, state_->tree)) {
    give_up("too tangled to be read");
    return parsed;
  }
  builder.Enter(state_->tree, 0);
  parsed.body = builder.Build();
  std::ranges::stable_sort(parsed.faults, {},
                           [](const SyntaxFault& fault) { return fault.span.begin; });
  return parsed;
}

}  // namespace shapewise
