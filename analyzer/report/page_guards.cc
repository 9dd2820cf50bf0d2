// The cost of guards per call: a heat map of functions by kinds of guards, and repeated guards.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "llvm/Support/FormatVariadic.h"
#include "report/page_sections.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxKinds = 10;
constexpr size_t kMaxFunctionSources = 8;  // per function

using Align = Document::Table::Align;

std::string MicrosText(double us) {
  return us < 10 ? llvm::formatv("{0:F1} us", us).str() : std::to_string(std::llround(us)) + " us";
}

/// The most frequent kinds over all functions, most first.
std::vector<std::string> KindsOf(const std::vector<GuardHeat>& rows) {
  std::map<std::string, uint64_t> totals;
  for (const GuardHeat& row : rows) {
    for (const auto& [kind, count] : row.kinds) totals[kind] += count;
  }
  std::vector<std::pair<std::string, uint64_t>> sorted(totals.begin(), totals.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, uint64_t>::second);
  std::vector<std::string> kinds;
  for (auto& [kind, count] : sorted) {
    if (kinds.size() == kMaxKinds) break;
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

/// Levels rise by the square root, so that small counts are distinguishable from zero.
Document::Table::Heat HeatOf(double us, double most) {
  constexpr int kMost = Document::Table::Heat::kMost;
  int level = 0;
  if (us > 0 && most > 0) {
    level = std::clamp(static_cast<int>(std::ceil(std::sqrt(us / most) * kMost)), 1, kMost);
  }
  return {static_cast<uint8_t>(level), MicrosText(us) + " estimated"};
}

std::string NameOf(const GuardHeat& row) {
  const std::string place = PlaceText(row.where);
  return place.empty() ? "not named" : place;
}

void AddMap(const std::vector<GuardHeat>& rows, Document& page) {
  const std::vector<std::string> kinds = KindsOf(rows);
  double most = 0;
  for (const GuardHeat& row : rows) {
    for (const auto& [kind, count] : row.kinds) {
      most = std::max(most, static_cast<double>(count) * row.leaf_us);
    }
  }
  Document::Table table({{"Function", Align::kLeft, TextStyle::kCode},
                         {"Entry", Align::kLeft},
                         {"A call, estimated"},
                         {"Measured cold"},
                         {"Guards"}});
  for (const std::string& kind : kinds)
    table.columns.push_back({kind, Align::kRight, TextStyle::kCode});
  table.columns.push_back({"Others"});
  table.caption =
      "Guards of the most expensive entry of each function, by kind; a stronger color means more "
      "microseconds";
  for (const GuardHeat& row : rows) {
    table.Row({NameOf(row), row.compile_id, MicrosText(row.guards_us + row.call_us),
               row.measured_us ? MicrosText(*row.measured_us) : "unknown",
               std::to_string(row.guards)});
    Document::Table::Cells& cells = table.rows.back();
    uint64_t others = row.guards;
    const auto add = [&](uint64_t count) {
      cells.texts.push_back(count > 0 ? std::to_string(count) : "");
      cells.heat.push_back(HeatOf(static_cast<double>(count) * row.leaf_us, most));
      others -= std::min(count, others);
    };
    for (const std::string& kind : kinds) {
      const auto found =
          std::ranges::find(row.kinds, kind, &std::pair<std::string, uint64_t>::first);
      add(found == row.kinds.end() ? 0 : found->second);
    }
    add(others);
  }
  page.AddTable(std::move(table));
}

/// Adds the reasons for high counts: repeated sources, conditions in Python.
void AddSources(const std::vector<GuardHeat>& rows, Document& page) {
  Document::Table table({{"Function", Align::kLeft, TextStyle::kCode},
                         {"What", Align::kLeft},
                         {"On", Align::kLeft, TextStyle::kCode},
                         {"Guards"},
                         {"Objects"}});
  table.caption =
      "Sources that repeat for each of several objects, and conditions evaluated in Python";
  for (const GuardHeat& row : rows) {
    const std::string name = NameOf(row);
    for (size_t i = 0; i < std::min(row.families.size(), kMaxFunctionSources); ++i) {
      const GuardFamilyHeat& family = row.families[i];
      table.Row({name, "repeats", family.source, std::to_string(family.guards),
                 std::to_string(family.members)});
    }
    for (size_t i = 0; i < std::min(row.lambdas.size(), kMaxFunctionSources); ++i) {
      const auto& [text, count] = row.lambdas[i];
      table.Row({name, "in Python", text, std::to_string(count), ""});
    }
  }
  if (table.rows.empty()) return;
  page.AddTitle("Guards by source", Document::TitleKind::kFolded);
  page.AddTable(std::move(table));
}

}  // namespace

void AddGuards(const PageInput& input, Document& page) {
  const std::vector<GuardHeat>& rows = input.page.guards;
  page.AddTitle("Guards", Document::TitleKind::kSection, "guards");
  if (rows.empty()) {
    return AddNothing(
        "No tree of guards is in the input: TORCH_TRACE=DIR records it, TORCH_LOGS=guards prints "
        "it (torch 2.5 or newer).",
        page);
  }
  page.Begin(0).Add(
      "At every call the guards of a cache entry are evaluated before its graph runs. "
      "Microseconds are estimated from counts, for warm caches, and good to a factor of two.");
  AddMap(rows, page);
  AddMore(rows.size(), input.page.functions_guarded, "function with cheaper guards", page);
  AddSources(rows, page);
}

}  // namespace shapewise
