
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "report/bucket_facts.h"
#include "result/number_text.h"

namespace shapewise {
namespace {

constexpr size_t kMaxColumns = 96;
constexpr size_t kBarRows = 5;
constexpr size_t kDrawnMapRows = 12;
constexpr size_t kEighths = 8;
/// If the tallest column exceeds the mean of the non-empty ones by this factor, heights are drawn
/// by their square roots: otherwise one frequent size makes the others invisible.
constexpr double kSpike = 8;

constexpr std::array<std::string_view, kEighths + 1> kBars = {" ", "▁", "▂", "▃", "▄",
                                                              "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, kEighths + 1> kAsciiBars = {" ", ".", ".", ".", "#",
                                                                   "#", "#", "#", "#"};
constexpr std::array<std::string_view, 5> kShades = {" ", "░", "▒", "▓", "█"};
constexpr std::array<std::string_view, 5> kAsciiShades = {" ", ".", ":", "%", "#"};

/// Columns available for a drawing on a page whose first `taken` columns are used.
size_t FreeColumns(const ReportOptions& options, size_t taken) {
  constexpr size_t kMin = 16;
  return std::clamp<size_t>(options.width, taken + kMin, taken + kMaxColumns) - taken;
}

const std::string kMargin(kPageIndent, ' ');

/// A character of a drawing.
struct Glyph {
  std::string_view text = " ";
  TextStyle style = TextStyle::kPlain;
};

/// Adds a line of a drawing; `label` is left of it.
void AddGlyphs(const std::vector<Glyph>& row, Document& page, const std::string& label = {}) {
  std::vector<Document::Piece> pieces = {{TextStyle::kStrong, kMargin + label}};
  for (const Glyph& glyph : row) {
    if (glyph.style != pieces.back().style) pieces.push_back({glyph.style, {}});
    pieces.back().text += glyph.text;
  }
  page.AddLine(std::move(pieces));
}

/// Numbers below the columns in which bounds end; placed from the right as space permits.
std::string BoundLabels(const SizeAxis& axis, const std::vector<int64_t>& bounds) {
  std::string labels(axis.columns(), ' ');
  size_t free = axis.columns() + 1;  // free columns left of the previous label, with a blank
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) {
    const std::string number = std::to_string(*bound);
    const size_t end = axis.Column(*bound) + 1;
    if (end < number.size() || end >= free) continue;
    labels.replace(end - number.size(), number.size(), number);
    free = end - number.size();
  }
  return labels;
}

class LineDrawing {
 public:
  LineDrawing(const BucketReport& report, size_t dim, const ReportOptions& options)
      : axis_(report, dim, FreeColumns(options, kPageIndent)),
        shares_(CallShares(report.histogram, dim, axis_)),
        bounds_(BoundsOfDim(report, dim)),
        is_ascii_(options.ascii) {
    double sum = 0;
    double columns = 0;
    for (const double share : shares_) {
      peak_ = std::max(peak_, share);
      sum += share;
      columns += share > 0 ? 1 : 0;
    }
    is_by_root_ = peak_ * columns > kSpike * sum;
    for (const int64_t bound : bounds_) ends_.push_back(axis_.Column(bound));
  }

  std::string Title() const {
    std::string text = axis_.is_logarithmic() ? "log axis, " : "";
    text += "highest column " + PercentText(peak_) + " of the calls";
    return is_by_root_ ? text + ", drawn by the root" : text;
  }

  void Print(Document& page) const {
    for (size_t row = kBarRows; row-- > 0;) {
      std::vector<Glyph> glyphs;
      for (size_t column = 0; column < shares_.size(); ++column) {
        glyphs.push_back({Bar(column, row), StyleOf(column)});
      }
      AddGlyphs(glyphs, page);
    }
    std::vector<Glyph> line(axis_.columns(), {is_ascii_ ? "-" : "─", TextStyle::kFaint});
    for (const size_t end : ends_) line[end] = {is_ascii_ ? "+" : "┴", TextStyle::kStrong};
    AddGlyphs(line, page);
    if (bounds_.empty()) return;
    AddGlyphs({}, page, BoundLabels(axis_, bounds_));
  }

 private:
  /// Neighbouring buckets have different colors.
  TextStyle StyleOf(size_t column) const {
    const auto bucket = std::ranges::lower_bound(ends_, column) - ends_.begin();
    return bucket % 2 == 0 ? TextStyle::kLabel : TextStyle::kCode;
  }

  std::string_view Bar(size_t column, size_t row) const {
    if (shares_[column] <= 0) return " ";
    const double share = shares_[column] / peak_;
    const double height = (is_by_root_ ? std::sqrt(share) : share) * kBarRows * kEighths;
    // Anything present is visible, however small.
    const auto eighths = std::max<int64_t>(std::llround(height), 1);
    const int64_t above = eighths - static_cast<int64_t>(row * kEighths);
    const auto level = static_cast<size_t>(std::clamp<int64_t>(above, 0, kEighths));
    return is_ascii_ ? kAsciiBars[level] : kBars[level];
  }

  SizeAxis axis_;
  std::vector<double> shares_;
  std::vector<int64_t> bounds_;
  std::vector<size_t> ends_;  // columns of bounds_
  double peak_ = 0;
  bool is_by_root_ = false;
  bool is_ascii_;
};

/// Two dims: rows for the first, columns for the second; a bucket covers what is left of and above
/// its corner.
class MapDrawing {
 public:
  MapDrawing(const BucketReport& report, const ReportOptions& options)
      : rows_(report, 0, kDrawnMapRows),
        label_(std::to_string(rows_.last()).size()),
        columns_(report, 1, FreeColumns(options, kPageIndent + label_ + 1)),
        cells_(rows_.columns(), std::vector<double>(columns_.columns(), 0.0)),
        report_(report),
        is_ascii_(options.ascii) {
    for (const SizeCount& count : report.histogram.counts) {
      double& cell = cells_[rows_.Column(count.sizes[0])][columns_.Column(count.sizes[1])];
      cell += static_cast<double>(count.calls);
      peak_ = std::max(peak_, cell);
    }
  }

  std::string Title() const {
    std::string text = "the darker, the more calls; a bucket holds what is above and left of ";
    text += is_ascii_ ? "+" : "┘";
    if (rows_.is_logarithmic() && columns_.is_logarithmic()) return text + "; log axes";
    if (rows_.is_logarithmic()) return text + "; log axis down";
    return columns_.is_logarithmic() ? text + "; log axis across" : text;
  }

  void Print(Document& page) const {
    std::vector<std::vector<Glyph>> glyphs;
    for (const std::vector<double>& row : cells_) {
      std::vector<Glyph>& line = glyphs.emplace_back();
      for (const double calls : row) line.push_back({Shade(calls), TextStyle::kLabel});
    }
    for (const Sizes& sizes : report_.boundaries) {
      glyphs[rows_.Column(sizes[0])][columns_.Column(sizes[1])] = {is_ascii_ ? "+" : "┘",
                                                                   TextStyle::kStrong};
    }
    std::map<size_t, int64_t> labels;  // the largest bound that ends in each row
    for (const int64_t bound : BoundsOfDim(report_, 0)) labels[rows_.Column(bound)] = bound;
    for (size_t row = 0; row < glyphs.size(); ++row) {
      const auto label = labels.find(row);
      const std::string number =
          label == labels.end() ? std::string() : std::to_string(label->second);
      AddGlyphs(glyphs[row], page, std::string(label_ - number.size(), ' ') + number + " ");
    }
    AddGlyphs({}, page,
              std::string(label_ + 1, ' ') + BoundLabels(columns_, BoundsOfDim(report_, 1)));
  }

 private:
  std::string_view Shade(double calls) const {
    if (calls <= 0) return " ";
    const auto level =
        std::clamp<size_t>(static_cast<size_t>(std::ceil(std::sqrt(calls / peak_) * 4)), 1, 4);
    return is_ascii_ ? kAsciiShades[level] : kShades[level];
  }

  SizeAxis rows_;
  size_t label_;  // width of the numbers on the left
  SizeAxis columns_;
  std::vector<std::vector<double>> cells_;
  const BucketReport& report_;
  double peak_ = 0;
  bool is_ascii_;
};

template <typename Drawing>
void AddDrawing(const BucketReport& report, const std::string& what, const Drawing& drawing,
                Document& page) {
  page.BlankLine();
  page.Begin(0, kPageIndent).Add(TextStyle::kStrong, CallsText(report) + " by " + what);
  page.Add(TextStyle::kFaint, " (" + drawing.Title() + ")");
  drawing.Print(page);
}

/// If the largest size exceeds the median by this factor, a linear axis shows little but its first
/// columns.
constexpr double kHeavyTail = 8;

}  // namespace

void DrawBuckets(const BucketReport& report, const ReportOptions& options, Document& page) {
  if (report.histogram.calls == 0 || report.histogram.counts.size() < 2) return;
  if (report.dims == 2) {
    AddDrawing(report, DimsText(report), MapDrawing(report, options), page);
    return;
  }
  const size_t dim = std::clamp<size_t>(report.dims, 1, kMaxSizeDims) - 1;
  const std::string what =
      report.columns.size() == report.dims ? report.columns[dim] : std::string("size");
  AddDrawing(report, what, LineDrawing(report, dim, options), page);
}

SizeAxis::SizeAxis(const BucketReport& report, size_t dim, size_t columns) {
  bool is_first = true;
  const auto widen = [&](int64_t size) {
    first_ = is_first ? size : std::min(first_, size);
    last_ = is_first ? size : std::max(last_, size);
    is_first = false;
  };
  for (const SizeCount& count : report.histogram.counts) widen(count.sizes[dim]);
  for (const Sizes& sizes : report.boundaries) widen(sizes[dim]);
  const int64_t median = MedianSize(report.histogram, dim);
  is_logarithmic_ = first_ >= 0 && median > 0 &&
                    static_cast<double>(last_) > kHeavyTail * static_cast<double>(median);
  columns_ = std::max<size_t>(columns, 1);
  if (!is_logarithmic_) {
    const auto sizes = static_cast<size_t>(std::max<int64_t>(last_ - first_, 0)) + 1;
    columns_ = std::min(columns_, sizes);
  }
}

double SizeAxis::Place(double size) const {
  // A size of 0 has no logarithm; it is drawn like 1.
  const auto scale = [this](double value) {
    return is_logarithmic_ ? std::log(std::max(value, 1.0)) : value;
  };
  const double begin = scale(static_cast<double>(first_));
  const double end = scale(static_cast<double>(last_) + 1);
  const double share = end > begin ? (scale(size) - begin) / (end - begin) : 1;
  return std::clamp(share, 0.0, 1.0) * static_cast<double>(columns_);
}

size_t SizeAxis::Column(int64_t size) const {
  const double end = End(size);
  const auto column = static_cast<size_t>(std::max(std::ceil(end - 1e-9) - 1, 0.0));
  return std::min(column, columns_ - 1);
}

std::vector<double> CallShares(const SizeHistogram& histogram, size_t dim, const SizeAxis& axis) {
  std::vector<double> shares(axis.columns(), 0.0);
  double total = 0;
  for (const SizeCount& count : histogram.counts) total += static_cast<double>(count.calls);
  if (total <= 0) return shares;
  for (const SizeCount& count : histogram.counts) {
    const double share = static_cast<double>(count.calls) / total;
    const double begin = axis.Begin(count.sizes[dim]);
    const double end = axis.End(count.sizes[dim]);
    const size_t last = axis.Column(count.sizes[dim]);
    if (end - begin < 1e-9) {
      shares[last] += share;
      continue;
    }
    for (auto column = static_cast<size_t>(begin); column <= last; ++column) {
      const double from = std::max(begin, static_cast<double>(column));
      const double to = std::min(end, static_cast<double>(column) + 1);
      shares[column] += share * std::max(to - from, 0.0) / (end - begin);
    }
  }
  return shares;
}

std::vector<int64_t> BoundsOfDim(const BucketReport& report, size_t dim) {
  std::vector<int64_t> bounds;
  for (const Sizes& sizes : report.boundaries) bounds.push_back(sizes[dim]);
  std::ranges::sort(bounds);
  bounds.erase(std::ranges::unique(bounds).begin(), bounds.end());
  return bounds;
}

}  // namespace shapewise
