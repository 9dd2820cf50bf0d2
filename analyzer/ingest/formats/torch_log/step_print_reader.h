// The log's own prints of steps, read beside what torch printed.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_READER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/formats/torch_log/step_print.h"
#include "ingest/log_format.h"

namespace shapewise {

/// Passes everything on to the reader of torch's own lines, and looks at each
/// line for a print of a step. Costs a second search of every line, which is
/// why it is asked for.
class StepPrintReader final : public LogReader {
 public:
  StepPrintReader(std::unique_ptr<LogReader> torch, Session& session, uint32_t input);

  void OnLines(std::string_view lines, uint64_t first_line) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;
  void Finish() override { torch_->Finish(); }
  uint64_t torch_lines() const override { return torch_->torch_lines() + num_steps_; }

 private:
  /// The print read last of one rank.
  struct Last {
    int64_t number = -1;
    Clock clock = Clock::kUnknown;
    double time = 0;
  };

  void ReadLine(std::string_view line, uint64_t number);
  void ReadSegment(std::string_view text, uint64_t number);

  std::unique_ptr<LogReader> torch_;
  Session& session_;
  const uint32_t input_;
  const int32_t file_rank_;
  std::map<int32_t, Last> last_;  ///< by rank
  uint64_t num_steps_ = 0;
  std::string unescaped_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_STEP_PRINT_READER_H_
