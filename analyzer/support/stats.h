// Data-quality counters: damage in the input is counted, graded and explained, never fatal.

#ifndef SHAPEWISE_SUPPORT_STATS_H_
#define SHAPEWISE_SUPPORT_STATS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shapewise {

/// The severity of a counter that is not zero.
enum class StatGrade : uint8_t {
  kInfo,      ///< worth knowing; nothing is lost
  kDataLoss,  ///< part of the input could not be read
};

// F(name, grade, one sentence for the reader of the report)
#define SHAPEWISE_STATS(F)                                                                      \
  F(utf8_invalid, kInfo, "Texts with bytes that are not UTF-8; shown with replacement marks.")  \
  F(utf16_transcoded, kInfo, "Inputs in UTF-16, read as UTF-8.")                                \
  F(line_cut_at_end, kInfo, "Inputs whose last line has no newline; it may be cut.")            \
  F(line_very_long, kInfo, "Lines longer than 1 MiB, read in pieces.")                          \
  F(record_cut, kDataLoss, "Records that end before they say what they announce.")              \
  F(record_too_long, kDataLoss,                                                                 \
    "Records longer than 256 KiB or 16384 lines, of which only the start was read.")            \
  F(number_too_large, kDataLoss,                                                                \
    "Numbers of records that are too large for what they count, left out.")                     \
  F(streams_too_many, kDataLoss,                                                                \
    "Records dropped because more than 4096 processes wrote to one input.")                     \
  F(guard_unknown, kInfo, "Guard texts of no known form, kept as they are.")                    \
  F(profile_event_unreadable, kDataLoss,                                                        \
    "Events of a profile that could not be read: cut, too long, or with absurd times.")         \
  F(step_row_unreadable, kDataLoss, "Rows of a table of step times that are not two numbers.")  \
  F(server_lines_too_many, kDataLoss,                                                           \
    "Lines of an inference server beyond 100,000 of one input; not kept.")                      \
  F(spans_too_many, kDataLoss,                                                                  \
    "Steps, compilations or samples of a profile beyond the first million, left out.")          \
  F(archive_damaged, kDataLoss, "Compressed inputs that end early or are damaged.")             \
  F(input_unreadable, kDataLoss, "Inputs that could not be read to their end.")                 \
  F(trace_line_damaged, kDataLoss,                                                              \
    "Lines of a structured trace that are neither an event nor its payload.")                   \
  F(trace_line_doubled, kInfo, "Events that occur twice in a structured trace; reported once.") \
  F(trace_json_damaged, kDataLoss, "Events of a structured trace that are no whole JSON.")      \
  F(trace_payload_missing, kDataLoss, "Events of a structured trace without their payload.")    \
  F(trace_payload_damaged, kDataLoss,                                                           \
    "Payloads of a structured trace that do not match their checksum; reported nevertheless.")  \
  F(trace_text_unknown, kDataLoss,                                                              \
    "Names that a structured trace refers to by a number which it has not given out.")          \
  F(trace_event_unknown, kInfo, "Events of a structured trace of kinds that are not known.")    \
  F(graph_cut, kDataLoss, "Graphs that end, or are damaged, before their last node.")           \
  F(graph_node_unreadable, kDataLoss, "Lines of a graph that are no node of it.")               \
  F(graph_expression_unknown, kInfo, "Sizes of a graph of no known form, kept as they are.")    \
  F(compilations_too_many, kDataLoss,                                                           \
    "Compilations dropped because one process began more than 200000.")                         \
  F(guards_too_many, kDataLoss,                                                                 \
    "Printed guards of compilations beyond the first 100000 of one input, left out.")

#define SHAPEWISE_STAT_ENUM(name, grade, text) name,
/// One counter for each row of SHAPEWISE_STATS.
enum class Stat : uint8_t { SHAPEWISE_STATS(SHAPEWISE_STAT_ENUM) };
#undef SHAPEWISE_STAT_ENUM

#define SHAPEWISE_STAT_CHECK(name, grade, text) \
  static_assert(std::string_view(text).ends_with('.'), #name " needs a sentence");
SHAPEWISE_STATS(SHAPEWISE_STAT_CHECK)
#undef SHAPEWISE_STAT_CHECK

/// The description of a counter in reports.
struct StatInfo {
  std::string_view name;
  StatGrade grade;
  std::string_view sentence;
};

#define SHAPEWISE_STAT_INFO(name, grade, text) StatInfo{#name, StatGrade::grade, text},
/// By the number of the counter.
inline constexpr StatInfo kStatInfos[] = {SHAPEWISE_STATS(SHAPEWISE_STAT_INFO)};
#undef SHAPEWISE_STAT_INFO

/// The number of counters.
inline constexpr size_t kNumStats = std::size(kStatInfos);

/// The number and the first place of each kind of damage.
class Stats {
 public:
  struct Count {
    uint64_t times = 0;
    uint32_t first_input = 0;  ///< index into Session::inputs(); meaningless when times is 0
    uint64_t first_line = 0;   ///< 1-based; 0: the input as a whole
  };

  /// Counts one occurrence at `line` of `input`.
  void Bump(Stat stat, uint32_t input, uint64_t line) {
    Count& count = counts_[static_cast<size_t>(stat)];
    if (count.times++ == 0) {
      count.first_input = input;
      count.first_line = line;
    }
  }

  /// Adds a count from elsewhere, which comes after everything counted here so far.
  void Add(Stat stat, const Count& added) {
    Count& count = counts_[static_cast<size_t>(stat)];
    const uint64_t times = count.times + added.times;
    if (count.times == 0) count = added;
    count.times = times;
  }

  /// The same for all of `added`.
  void Add(const Stats& added) {
    for (size_t i = 0; i < kNumStats; ++i) Add(static_cast<Stat>(i), added.counts_[i]);
  }

  const Count& count(Stat stat) const { return counts_[static_cast<size_t>(stat)]; }
  const Count& count(size_t stat_index) const { return counts_[stat_index]; }

 private:
  std::array<Count, kNumStats> counts_{};
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_STATS_H_
