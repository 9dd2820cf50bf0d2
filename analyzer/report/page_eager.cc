// Functions in eager mode over time: one row per function and process, from its first compilation
// to the end of the log.

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "report/html_out.h"
#include "report/page_sections.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr size_t kMaxRows = 40;
constexpr double kWidth = 900;
constexpr double kLeft = 260;
constexpr double kRight = 880;
constexpr double kTop = 30;
constexpr double kRow = 22;
constexpr size_t kMaxLabel = 38;  // characters

/// The axis of a position: a clock of the run, or the lines of one input.
struct TimeAxis {
  bool is_lines = false;
  ClockGroup group{};  // for lines, the second is the input

  friend auto operator<=>(const TimeAxis&, const TimeAxis&) = default;
};

struct Position {
  TimeAxis axis;
  double at = 0;  // seconds since the start of the clock, or a line
};

/// A function that is no longer compiled, in one process.
struct Stretch {
  Place where;
  int32_t rank = kNoRank;
  bool is_limit = false;
  std::string why;
  Position since;
  std::optional<double> compiled;  // when it was first compiled, on the same axis
  const Event* event = nullptr;
};

using FunctionKey = std::tuple<std::string_view, uint32_t, std::string_view>;

class Stretches {
 public:
  explicit Stretches(const PageInput& input) : input_(input), session_(input.session) {
    for (const EagerFunction& function : input.result.summary.eager_functions) {
      const Place& where = function.where;
      at_limit_.insert({where.file, where.line, where.function});
    }
    for (const Compilation& compilation : session_.compilations()) {
      const Position position =
          At(input_.clocks.At(compilation), compilation.input, compilation.line);
      NoteEnd(position, compilation.rank, compilation.seconds.total.value_or(0));
      const FunctionKey key{session_.text(compilation.file), compilation.function_line,
                            session_.text(compilation.function)};
      first_compile_.try_emplace({key, compilation.rank, position.axis}, position.at);
    }
    for (const Event& event : session_.events()) AddEvent(event);
    std::ranges::stable_sort(rows_, {}, [](const Stretch& row) {
      return std::make_tuple(row.since.axis, !row.is_limit, row.since.at, row.rank);
    });
  }

  const std::vector<Stretch>& rows() const { return rows_; }

  /// The end of the log of the process of `row`, on the axis of the row.
  double EndOf(const Stretch& row) const { return ends_.at({row.rank, row.since.axis}); }

 private:
  Position At(const std::optional<Moment>& moment, uint32_t input, uint64_t line) const {
    if (moment) return {{false, moment->group}, input_.clocks.Micros(*moment) / 1e6};
    return {{true, {Clock::kUnknown, input}}, static_cast<double>(line)};
  }

  void NoteEnd(const Position& position, int32_t rank, double seconds) {
    const double end = position.at + (position.axis.is_lines ? 0 : seconds);
    const auto [known, is_new] = ends_.try_emplace({rank, position.axis}, end);
    if (!is_new) known->second = std::max(known->second, end);
  }

  void AddEvent(const Event& event) {
    const Position position = At(input_.clocks.At(event), event.input, event.line);
    NoteEnd(position, event.rank, 0);
    const EventDetail& detail = session_.detail(event);
    const FunctionKey key{session_.text(detail.file), detail.function_line,
                          session_.text(detail.function)};
    const auto* const limit = detail.As<LimitFact>();
    const bool is_limit = limit != nullptr && at_limit_.contains(key);
    if (detail.kind() == EventKind::kRecompile) {
      // Its first compilation was before that, or at the latest then.
      first_compile_.try_emplace({key, event.rank, position.axis}, position.at);
    }
    if (!is_limit && detail.kind() != EventKind::kSkippedFrame) return;
    if (!seen_.insert({key, event.rank, is_limit}).second) return;
    Stretch row;
    row.where = {std::string(std::get<2>(key)), std::string(std::get<0>(key)), std::get<1>(key)};
    row.rank = event.rank;
    row.is_limit = is_limit;
    if (is_limit) {
      row.why = "hit its recompile limit";
      if (limit->limit) row.why += " (" + std::to_string(*limit->limit) + ")";
    } else {
      row.why = "its frame is skipped: " + std::string(WhyName(detail.why()));
    }
    row.since = position;
    row.event = &event;
    const auto compiled = first_compile_.find({key, event.rank, position.axis});
    if (compiled != first_compile_.end()) row.compiled = compiled->second;
    rows_.push_back(std::move(row));
  }

  const PageInput& input_;
  const Session& session_;
  std::set<FunctionKey> at_limit_;
  std::map<std::tuple<FunctionKey, int32_t, TimeAxis>, double> first_compile_;
  std::map<std::pair<int32_t, TimeAxis>, double> ends_;
  std::set<std::tuple<FunctionKey, int32_t, bool>> seen_;
  std::vector<Stretch> rows_;
};

/// "line 57" or "12.4 s"
std::string PositionText(const Position& position) {
  if (!position.axis.is_lines) return SecondsText(position.at);
  return "line " + std::to_string(static_cast<uint64_t>(position.at));
}

std::string NameOf(const Stretch& row) {
  std::string name = row.where.function.empty() ? PlaceText(row.where) : row.where.function;
  if (name.empty()) name = "not named";
  if (row.rank != kNoRank) name = "rank " + std::to_string(row.rank) + " " + name;
  return name;
}

/// The end of a name is more informative than its middle. Cuts `text` between characters.
std::string Clipped(const std::string& text) {
  if (text.size() <= kMaxLabel) return text;
  size_t begin = text.size() - kMaxLabel;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  return "..." + text.substr(begin);
}

std::string Bar(std::string_view style, double from, double to, double y,
                const std::string& title) {
  return "<rect class=\"" + std::string(style) + "\" x=\"" + Coordinate(from) + "\" y=\"" +
         Coordinate(y) + "\" width=\"" + Coordinate(std::max(to - from, 2.0)) +
         "\" height=\"14\"><title>" + XmlText(title) + "</title></rect>\n";
}

/// The rows [begin, end), which share an axis.
std::string Drawing(const Stretches& stretches, size_t begin, size_t end, size_t number) {
  const std::vector<Stretch>& rows = stretches.rows();
  double low = std::numeric_limits<double>::max();
  double high = 0;
  for (size_t i = begin; i < end; ++i) {
    low = std::min({low, rows[i].since.at, rows[i].compiled.value_or(rows[i].since.at)});
    high = std::max(high, stretches.EndOf(rows[i]));
  }
  const double span = std::max(high - low, 1e-9);
  const auto x = [&](double at) { return kLeft + (at - low) / span * (kRight - kLeft); };
  const double bottom = kTop + static_cast<double>(end - begin) * kRow;
  const std::string id = "eager-" + std::to_string(number);
  const TimeAxis& axis = rows[begin].since.axis;
  std::string svg = "<svg class=\"eager\" viewBox=\"0 0 " + Coordinate(kWidth) + " " +
                    Coordinate(bottom + 26) + "\" width=\"" + Coordinate(kWidth) + "\" height=\"" +
                    Coordinate(bottom + 26) + "\" role=\"img\" aria-labelledby=\"" + id +
                    "-title " + id + "-desc\">\n<title id=\"" + id +
                    "-title\">Functions in eager mode over time</title>\n<desc id=\"" + id +
                    "-desc\">A bar for each function, compiled at first, then eager until the log "
                    "ends; the table below has the same.</desc>\n";
  svg += Bar("compiled", kLeft, kLeft + 14, 6, "compiled") +
         SvgLabel("small", kLeft + 20, 17, "start", "compiled") +
         Bar("eager", kLeft + 90, kLeft + 104, 6, "eager") +
         SvgLabel("small", kLeft + 110, 17, "start", "eager");
  for (size_t i = begin; i < end; ++i) {
    const Stretch& row = rows[i];
    const double y = kTop + static_cast<double>(i - begin) * kRow;
    svg += SvgLabel("lane", kLeft - 8, y + 12, "end", Clipped(NameOf(row)));
    if (row.compiled && *row.compiled < row.since.at) {
      svg += Bar("compiled", x(*row.compiled), x(row.since.at), y, "compiled");
    }
    svg += Bar("eager", x(row.since.at), x(stretches.EndOf(row)), y,
               "eager since " + PositionText(row.since) + ": " + row.why);
  }
  svg += SvgLine("axis", kLeft, bottom + 4, kRight, bottom + 4);
  svg += SvgLabel("small", kLeft, bottom + 20, "start", PositionText({axis, low}));
  svg += SvgLabel("small", kRight, bottom + 20, "end",
                  PositionText({axis, high}) + (axis.is_lines ? "" : ", the log ends"));
  return svg + "</svg>\n";
}

void AddRows(const PageInput& input, const Stretches& stretches, Document& page) {
  using Align = Document::Table::Align;
  Document::Table table({{"Function", Align::kLeft, TextStyle::kCode},
                         {"Rank"},
                         {"Since", Align::kLeft},
                         {"In the log", Align::kLeft, TextStyle::kCode},
                         {"Because", Align::kLeft}});
  table.caption = "Functions that run eagerly; those that were compiled before come first";
  const size_t shown = std::min(stretches.rows().size(), kRowsAtOnce);
  for (size_t i = 0; i < shown; ++i) {
    const Stretch& row = stretches.rows()[i];
    const std::string place = PlaceText(row.where);
    const std::string time = FormatLogTime(row.event->time);
    table.Row(
        {place.empty() ? "not named" : place, row.rank == kNoRank ? "" : std::to_string(row.rank),
         time.empty() ? "no time is printed" : time,
         input.session.inputs()[row.event->input].name + ":" + std::to_string(row.event->line),
         row.why});
  }
  page.AddTable(std::move(table));
  AddMore(shown, stretches.rows().size(), "function", page);
}

/// Lists functions that are no longer compiled because they resume such a function.
void AddBelow(const std::vector<EagerFunction>& functions, Document& page) {
  for (const EagerFunction& function : functions) {
    if (function.below.empty()) continue;
    page.Begin(0).Add("With ").Add(TextStyle::kCode, PlaceText(function.where));
    page.Add(", its resume functions after graph breaks run eagerly, too:");
    for (const Place& below : function.below) page.AddItem(PlaceText(below));
  }
}

}  // namespace

void AddEager(const PageInput& input, Document& page) {
  page.AddTitle("Eager since when", Document::TitleKind::kSection, "eager");
  const Stretches stretches(input);
  const std::vector<Stretch>& rows = stretches.rows();
  if (rows.empty()) {
    return AddNothing(
        "No function is known to have been given up: no recompile limit was hit, no frame skipped. "
        "TORCH_LOGS=recompiles,graph_breaks prints both, TORCH_TRACE=DIR records them.",
        page);
  }
  page.Begin(0).Add(
      "A function is drawn from its first known compilation on, and as eager until the last "
      "record of its process; what ran later is not in the log.");
  const size_t drawn = std::min(rows.size(), kMaxRows);
  size_t number = 0;
  for (size_t begin = 0, end = 0; begin < drawn; begin = end) {
    while (end < drawn && rows[end].since.axis == rows[begin].since.axis) ++end;
    page.AddPicture(Drawing(stretches, begin, end, ++number));
  }
  if (drawn < rows.size()) {
    page.Begin(0).Add(std::to_string(rows.size() - drawn) + " more are not drawn.");
  }
  AddRows(input, stretches, page);
  AddBelow(input.result.summary.eager_functions, page);
}

}  // namespace shapewise
