#include "report/replay_writers.h"

#include "llvm/Support/FormatVariadic.h"

namespace shapewise {

std::span<const ReplayFormat> ReplayFormats() {
  using Replays = DocumentFormats<ReplayReport>;
  using Curves = DocumentFormats<CurveReport>;
  static constexpr ReplayFormat formats[] = {
      {"text", Replays::Write<DescribeReplay, RenderText>,
       Curves::Write<DescribeCurve, RenderText>},
      {"json", WriteReplayJson, WriteCurveJson},
      {"markdown", Replays::Write<DescribeReplay, RenderMarkdown>,
       Curves::Write<DescribeCurve, RenderMarkdown>},
      {"html", Replays::Write<DescribeReplay, RenderHtml>,
       Curves::Write<DescribeCurve, RenderHtml>}};
  return formats;
}

void WriteCostFile(const CurveReport& report, llvm::raw_ostream& out) {
  const auto add = [&](const std::optional<double>& seconds) {
    out << ",";
    if (seconds) out << llvm::formatv("{0:E6}", *seconds);
  };
  out << "size,seconds,dynamic,eager,compile_seconds,dynamic_compile_seconds,spread\n";
  for (const CurveReport::Point& point : report.points) {
    out << point.size;
    add(point.seconds.value);
    add(point.dynamic ? std::optional(point.dynamic->value) : std::nullopt);
    add(point.eager);
    add(point.compile_seconds);
    add(point.dynamic_compile_seconds);
    add(point.spread);
    out << "\n";
  }
}

}  // namespace shapewise
