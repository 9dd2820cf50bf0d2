// Writes a partial row by row. A text, reason or detail is written directly before the first row
// that refers to it, so that numbers depend only on the facts, and a reader never sees an unknown
// one.

#include <zstd.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "partial/partial.h"
#include "partial/partial_schema.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Compressing the texts dominates; higher levels save a tenth of the size and take three times as
// long.
constexpr int kLevel = 3;

// Input passed to the library at a time, so that its blocks do not depend on how text is appended.
constexpr size_t kBlockBytes = size_t{128} << 10;

/// Compresses and writes appended text block by block; memory does not grow with it. Equal texts,
/// however split, give equal bytes with one version of the library.
class ZstdWriter {
 public:
  /// `out` must outlive the writer; the caller must check it for errors.
  explicit ZstdWriter(llvm::raw_ostream& out) : out_(out), context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    // To detect truncated or modified copies.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
  }

  void Append(std::string_view text) {
    while (!text.empty()) {
      const size_t taken = std::min(text.size(), kBlockBytes - kept_.size());
      kept_.append(text.substr(0, taken));
      text.remove_prefix(taken);
      if (kept_.size() == kBlockBytes) Compress(ZSTD_e_continue);
    }
  }

  /// Writes everything appended so far, so that it can be read even if the rest is lost.
  void Flush() { Compress(ZSTD_e_flush); }

  /// Ends the frame. Call once, last.
  void Finish() { Compress(ZSTD_e_end); }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  void Compress(ZSTD_EndDirective directive) {
    ZSTD_inBuffer input{kept_.data(), kept_.size(), 0};
    size_t left = 1;
    while (input.pos < input.size || (directive != ZSTD_e_continue && left != 0)) {
      ZSTD_outBuffer output{compressed_.data(), compressed_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &output, &input, directive);
      assert(!ZSTD_isError(left) && "compressing from memory to memory cannot fail");
      out_.write(compressed_.data(), output.pos);
      if (ZSTD_isError(left)) return;
    }
    kept_.clear();
  }

  llvm::raw_ostream& out_;
  const std::unique_ptr<ZSTD_CCtx, Free> context_;
  std::string kept_;
  std::string compressed_ = std::string(ZSTD_CStreamOutSize(), '\0');
};

using Json = nlohmann::ordered_json;

// A row with such a part fits on a line even if everything is escaped.
constexpr size_t kMaxPartBytes = size_t{64} << 10;

/// Assigns numbers in the order of first use. Index: the id in the session; 0: not used yet.
class NumberList {
 public:
  bool Has(uint32_t id) const { return id < numbers_.size() && numbers_[id] != 0; }
  uint32_t Of(uint32_t id) const { return numbers_[id]; }
  void Give(uint32_t id) {
    if (id >= numbers_.size()) numbers_.resize(std::max<size_t>(id + 1, numbers_.size() * 2));
    numbers_[id] = ++last_;
  }

 private:
  std::vector<uint32_t> numbers_;
  uint32_t last_ = 0;
};

class PartialWriter {
 public:
  PartialWriter(const Session& session, llvm::raw_ostream& out) : session_(session), out_(out) {}

  void Write(std::string_view tool_version) {
    WriteHeader(tool_version);
    out_.Flush();  // so that the file can be recognized even if it is truncated
    for (const Input& input : session_.inputs()) WriteRow(input);
    for (const VersionMark& mark : session_.version_marks()) WriteRow(mark);
    WriteStats();
    for (const Event& event : session_.events()) WriteRow(event);
    for (const Compilation& compilation : session_.compilations()) WriteRow(compilation);
    for (const PrintedGuards& printed : session_.printed_guards()) WriteRow(printed);
    for (const Span& span : session_.spans()) WriteRow(span);
    for (const RegionRuns& runs : session_.region_runs()) WriteRow(runs);
    for (const ServerLine& line : session_.server_lines()) WriteRow(line);
    row_ = "[\"end\"," + std::to_string(num_rows_) + "]";
    EndRow();
    out_.Finish();
  }

 private:
  void WriteHeader(std::string_view tool_version) {
    Json words = Json::object();
    ForEachEnum([&words]<typename Enum>() {
      constexpr EnumInfo<Enum> kInfo = kEnumInfo<Enum>;
      Json list = Json::array();
      for (size_t value = 0; value <= static_cast<size_t>(kInfo.last); ++value) {
        list.push_back(kInfo.word(static_cast<Enum>(value)));
      }
      words[std::string(kInfo.name)] = std::move(list);
    });
    Json fields = Json::object();
    ForEachStruct([&fields]<typename Struct>() {
      Json list = Json::array();
      Struct object{};
      VisitFields([&list](std::string_view name, const auto&) { list.push_back(name); }, object);
      fields[std::string(kStructName<Struct>)] = std::move(list);
    });
    row_ = kPartialHead;
    row_ += std::to_string(kPartialVersion) + "\",\"tool\":";
    row_ += Json({{"name", "shapewise"}, {"version", tool_version}}).dump();
    row_ += ",\"words\":" + words.dump() + ",\"fields\":" + fields.dump() + "}";
    EndRow();
  }

  template <typename Struct>
  void WriteRow(const Struct& object) {
    Define(object);
    row_ = "[\"";
    row_ += kStructName<Struct>;
    row_ += '"';
    AppendFields(object, /*is_first=*/false);
    row_ += ']';
    EndRow();
  }

  void WriteText(std::string_view text) {
    for (bool is_last = false; !is_last;) {
      const std::string_view part = FrontOf(text, kMaxPartBytes);
      is_last = part.size() == text.size();
      row_ = is_last ? "[\"text\"," : "[\"part\",";
      Append(part);
      row_ += ']';
      EndRow();
      text.remove_prefix(part.size());
    }
  }

  void WriteStats() {
    for (size_t stat = 0; stat < kNumStats; ++stat) {
      const Stats::Count& count = session_.stats().count(stat);
      if (count.times == 0) continue;
      row_ = "[\"stat\",";
      Append(kStatInfos[stat].name);
      for (const uint64_t number : {count.times, uint64_t{count.first_input}, count.first_line}) {
        row_ += "," + std::to_string(number);
      }
      row_ += ']';
      EndRow();
    }
  }

  void EndRow() {
    row_ += '\n';
    out_.Append(row_);
    row_.clear();
    ++num_rows_;
  }

  // Assigns numbers to everything that a value refers to.
  void Define(StrId id) {
    if (id == StrId::kNone || texts_.Has(static_cast<uint32_t>(id))) return;
    WriteText(session_.text(id));
    texts_.Give(static_cast<uint32_t>(id));
  }
  void Define(ReasonId id) { DefineRow(id, session_.reason(id), reasons_); }
  void Define(DetailId id) { DefineRow(id, session_.detail(id), details_); }
  template <typename Id, typename Struct>
  void DefineRow(Id id, const Struct& object, NumberList& numbers) {
    if (numbers.Has(static_cast<uint32_t>(id))) return;
    WriteRow(object);
    numbers.Give(static_cast<uint32_t>(id));
  }
  template <typename First, typename Second>
  void Define(const std::pair<First, Second>& pair) {
    Define(pair.first);
    Define(pair.second);
  }
  template <typename Item>
  void Define(const std::vector<Item>& items) {
    for (const Item& item : items) Define(item);
  }
  template <Saved Struct>
  void Define(const Struct& object) {
    VisitFields([this](std::string_view, const auto& field) { Define(field); }, object);
  }
  void Define(const EventFact& fact) {
    std::visit([this](const auto& own) { Define(own); }, fact);
  }
  template <typename Plain>
  void Define(const Plain&) {}

  // Appends a value to the current row.
  void Append(StrId id) { Append(id == StrId::kNone ? 0U : texts_.Of(static_cast<uint32_t>(id))); }
  void Append(ReasonId id) { Append(reasons_.Of(static_cast<uint32_t>(id)) - 1); }
  void Append(DetailId id) { Append(details_.Of(static_cast<uint32_t>(id)) - 1); }
  void Append(bool value) { row_ += value ? '1' : '0'; }
  template <std::integral Number>
  void Append(Number number) {
    row_ += std::to_string(number);
  }
  void Append(double number) {
    // JSON cannot represent these.
    if (!std::isfinite(number)) {
      row_ += "null";
      return;
    }
    char digits[32];
    // Written in full, a large one would look like an integer that is too large.
    const auto format =
        std::abs(number) < 1e15 ? std::chars_format::general : std::chars_format::scientific;
    const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number, format);
    if (error == std::errc()) row_.append(digits, end);
  }

  template <SavedEnum Enum>
  void Append(Enum value) {
    Append(static_cast<uint32_t>(value));
  }
  /// Bytes that are not UTF-8 cannot be in JSON: they are written as ["hex"].
  void Append(std::string_view text) {
    if (IsUtf8(text)) {
      row_ += Json(text).dump();
      return;
    }
    row_ += "[\"";
    row_ += llvm::toHex(llvm::StringRef(text.data(), text.size()), /*LowerCase=*/true);
    row_ += "\"]";
  }

  void Append(const std::string& text) { Append(std::string_view(text)); }
  template <typename Value>
  void Append(const std::optional<Value>& value) {
    if (value) return Append(*value);
    row_ += "null";
  }
  template <typename First, typename Second>
  void Append(const std::pair<First, Second>& pair) {
    row_ += '[';
    Append(pair.first);
    row_ += ',';
    Append(pair.second);
    row_ += ']';
  }
  template <typename Item>
  void Append(const std::vector<Item>& items) {
    row_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) row_ += ',';
      Append(items[i]);
    }
    row_ += ']';
  }
  template <Saved Struct>
  void Append(const Struct& object) {
    row_ += '[';
    AppendFields(object, /*is_first=*/true);
    row_ += ']';
  }
  void Append(const EventFact& fact) {
    row_ += '[';
    Append(static_cast<EventKind>(fact.index()));
    std::visit([this](const auto& own) { AppendFields(own, /*is_first=*/false); }, fact);
    row_ += ']';
  }
  template <Saved Struct>
  void AppendFields(const Struct& object, bool is_first) {
    VisitFields(
        [this, is_first](std::string_view, const auto& field) mutable {
          if (!is_first) row_ += ',';
          is_first = false;
          Append(field);
        },
        object);
  }

  const Session& session_;
  ZstdWriter out_;
  std::string row_;
  uint64_t num_rows_ = 0;
  NumberList texts_;
  NumberList reasons_;
  NumberList details_;
};
}  // namespace

void WritePartial(const Session& session, std::string_view tool_version, llvm::raw_ostream& out) {
  PartialWriter(session, out).Write(tool_version);
}
}  // namespace shapewise
