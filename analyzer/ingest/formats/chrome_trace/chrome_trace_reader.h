// Reads a Chrome trace: events in, spans out.

#ifndef SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_CHROME_TRACE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_CHROME_TRACE_READER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/formats/chrome_trace/event_scanner.h"
#include "ingest/formats/chrome_trace/other_samples.h"
#include "ingest/formats/chrome_trace/trace_event.h"
#include "ingest/formats/chrome_trace/trace_names.h"
#include "ingest/log_format.h"
#include "llvm/ADT/StringMap.h"

namespace shapewise {

/// One pass over one profile. Nothing is kept of an event that is none of the few sorts that
/// matter, so that memory grows with steps, compilations and stretches of samples only; names of
/// processes and the moment that times count from may stand anywhere, so spans are added at the
/// end.
class ChromeTraceReader final : public LogReader {
 public:
  ChromeTraceReader(Session& session, uint32_t input, const ReadOptions& options);

  void OnLines(std::string_view lines, uint64_t first_line) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;
  void Finish() override;
  uint64_t torch_lines() const override { return num_events_; }

 private:
  struct Process {
    std::string name;
    bool is_torch = false;   ///< torch's profiler wrote events of it
    bool is_device = false;  ///< a GPU, which Kineto shows as a process
  };

  /// Something that took time, in microseconds of the trace.
  struct Stretch {
    SpanKind kind = SpanKind::kStep;
    bool is_named_step = false;  ///< a step by the program's annotation, not torch.profiler's
    uint32_t process = 0;
    uint64_t thread = 0;
    double begin_us = 0;
    double end_us = 0;
    uint64_t line = 0;
    int64_t number = -1;
    StrId name{};
  };

  /// "compile_id=0/1" was noted at this moment.
  struct CompileNote {
    uint32_t process = 0;
    uint64_t thread = 0;
    double at_us = 0;
    StrId compile_id{};
  };

  /// All runs of one compiled region.
  struct Region {
    double first_us = 0;
    double last_us = 0;
    uint64_t runs = 0;
    uint64_t line = 0;
  };

  /// A 'B' whose 'E' is still to come.
  struct OpenEvent {
    NamedEvent named;
    double begin_us = 0;
    uint64_t line = 0;
    std::string name;
    StrId compile_id{};
  };

  void OnEvent(const ScannedEvent& scanned);
  void OnMetadata(const TraceEvent& event);
  void OnBegin(const TraceEvent& event, const NamedEvent& named, uint64_t line);
  void OnEnd(const TraceEvent& event);
  void Take(const NamedEvent& named, std::string_view name, uint32_t process, uint64_t thread,
            double begin_us, double end_us, uint64_t line);
  void Note(uint32_t process, uint64_t thread, double at_us, std::string_view compile_id);
  void Keep(const Stretch& stretch);
  void AddRun(std::string_view compile_id, double begin_us, double end_us, uint64_t line);
  uint32_t ProcessOf(std::string_view id);

  void JoinCompiles();
  void DropNamedSteps();
  void AddSpans();
  void AddRegions(int64_t base_ns, int32_t rank);

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  EventScanner scanner_;
  TraceEventParser parser_;
  TraceEvent event_;
  llvm::StringMap<uint32_t> process_ids_;
  std::vector<Process> processes_;
  std::unordered_map<uint64_t, std::vector<OpenEvent>> open_;  // by thread
  std::unordered_map<uint64_t, Stretch> captures_;             // by thread
  std::vector<Stretch> stretches_;
  std::vector<CompileNote> notes_;
  std::map<std::string, Region, std::less<>> regions_;  // by compile id
  OtherSamples samples_;
  uint64_t num_events_ = 0;
  uint64_t last_line_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_CHROME_TRACE_READER_H_
