// Reads a table of step times: rows in, steps out.

#ifndef SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_TIMES_READER_H_
#define SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_TIMES_READER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/formats/step_times/step_row.h"
#include "ingest/log_format.h"

namespace shapewise {

/// Gathers the rows; what the first column means may show only at the end.
class StepTimesReader final : public LogReader {
 public:
  StepTimesReader(Session& session, uint32_t input) : session_(session), input_(input) {}

  void OnLines(std::string_view lines, uint64_t first_line) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;
  void Finish() override;
  uint64_t torch_lines() const override { return rows_.size(); }

 private:
  struct PlacedRow {
    StepRow row;
    uint64_t line = 0;
  };

  void ReadLine(std::string_view line, uint64_t number);
  bool HasStepNumbers() const;
  bool HasEndTimes() const;

  Session& session_;
  const uint32_t input_;
  StepHeader header_;
  bool is_begun_ = false;  ///< a header or a row was read
  std::vector<PlacedRow> rows_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_STEP_TIMES_STEP_TIMES_READER_H_
