#include "support/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "llvm/Support/Endian.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

constexpr std::string_view kMemberMagic = "PK\x03\x04";
constexpr std::string_view kEntryMagic = "PK\x01\x02";
constexpr std::string_view kEndMagic = "PK\x05\x06";
constexpr std::string_view kEnd64Magic = "PK\x06\x06";
constexpr std::string_view kLocator64Magic = "PK\x06\x07";

constexpr size_t kMemberHeaderSize = 30;
constexpr size_t kEntrySize = 46;
constexpr size_t kEndSize = 22;
constexpr size_t kEnd64Size = 56;
constexpr size_t kLocator64Size = 20;
constexpr size_t kMaxCommentSize = 0xffff;

constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint16_t kFlagEncrypted = 1;
constexpr uint16_t kFlagDescriptor = 8;
constexpr uint16_t kZip64Field = 1;
constexpr uint16_t kSeeZip64Short = 0xffff;
constexpr uint32_t kSeeZip64 = 0xffffffff;

// Deflate's maximum ratio: a match of 258 bytes takes at least two bits.
constexpr uint64_t kMaxDeflateRatio = 1032;
constexpr size_t kInflateStep = size_t{1} << 16;

uint16_t Read16(std::string_view bytes, size_t at) {
  return llvm::support::endian::read16le(bytes.data() + at);
}
uint32_t Read32(std::string_view bytes, size_t at) {
  return llvm::support::endian::read32le(bytes.data() + at);
}
uint64_t Read64(std::string_view bytes, size_t at) {
  return llvm::support::endian::read64le(bytes.data() + at);
}

/// `size` bytes at `offset`; absent: not within `bytes`.
std::optional<std::string_view> Slice(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.substr(offset, size);
}

std::string Quoted(std::string_view name) { return "'" + MakePrintable(name) + "'"; }

/// Whether a member with this name is unpacked inside the target folder on every system.
bool IsSafeName(std::string_view name) {
  if (name.empty() || name.front() == '/') return false;
  if (name.size() >= 2 && name[1] == ':') return false;  // a drive letter
  if (llvm::any_of(name, [](char c) { return c == '\\' || static_cast<unsigned char>(c) < 0x20; }))
    return false;
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part == "..") return false;
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return true;
}

Error Cut() {
  return MakeError(
      "the directory at the archive's end is missing or damaged: the file was cut short, or is "
      "still being written");
}

/// What the end record of an archive says about its directory.
struct DirectoryPlace {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t num_entries = 0;
};

/// Offset of the record that ends the archive: the last one whose comment ends with the file.
std::optional<size_t> FindEnd(std::string_view bytes) {
  if (bytes.size() < kEndSize) return std::nullopt;
  const size_t last = bytes.size() - kEndSize;
  const size_t first = last - std::min(last, kMaxCommentSize);
  for (size_t at = last + 1; at-- > first;) {
    if (bytes.substr(at, kEndMagic.size()) == kEndMagic && Read16(bytes, at + 20) == last - at) {
      return at;
    }
  }
  return std::nullopt;
}

/// The zip64 record for the end record at `end`; absent: none, or damaged.
std::optional<DirectoryPlace> FindZip64(std::string_view bytes, size_t end) {
  if (end < kLocator64Size) return std::nullopt;
  const std::string_view locator = bytes.substr(end - kLocator64Size, kLocator64Size);
  if (!locator.starts_with(kLocator64Magic)) return std::nullopt;
  const auto record = Slice(bytes, Read64(locator, 8), kEnd64Size);
  if (!record || !record->starts_with(kEnd64Magic)) return std::nullopt;
  return DirectoryPlace{Read64(*record, 48), Read64(*record, 40), Read64(*record, 32)};
}

/// Reads values that do not fit an entry's 32-bit fields from its zip64 field; false: missing.
bool ReadZip64Field(std::string_view extra, ZipArchive::Member& member) {
  const bool wants[] = {member.unpacked_bytes == kSeeZip64, member.packed_bytes == kSeeZip64,
                        member.header_offset == kSeeZip64};
  uint64_t* const fields[] = {&member.unpacked_bytes, &member.packed_bytes, &member.header_offset};
  if (llvm::none_of(wants, [](bool is_wanted) { return is_wanted; })) return true;
  while (extra.size() >= 4) {
    const uint16_t id = Read16(extra, 0);
    const auto field = Slice(extra, 4, Read16(extra, 2));
    if (!field) return false;
    extra.remove_prefix(4 + field->size());
    if (id != kZip64Field) continue;
    std::string_view rest = *field;
    for (size_t i = 0; i < std::size(fields); ++i) {
      if (!wants[i]) continue;
      if (rest.size() < 8) return false;
      *fields[i] = Read64(rest, 0);
      rest.remove_prefix(8);
    }
    return true;
  }
  return false;
}

/// zlib's state for one member.
class Inflater {
 public:
  Inflater() { is_ready_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }

  /// Unpacks `packed` into `text`, up to `num_bytes`. False: damaged, or a different size.
  bool Run(std::string_view packed, uint64_t num_bytes, std::string& text) {
    // zlib counts in 32 bits; larger packed members are far above kMaxMemberBytes.
    if (!is_ready_ || packed.size() > UINT32_MAX) return false;
    // zlib's interface lacks a const; it does not write to it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    while (true) {
      const size_t before = text.size();
      // One byte more than announced detects excess data.
      const uint64_t room = std::min<uint64_t>(kInflateStep, num_bytes - before + 1);
      text.resize(before + room);
      stream_.next_out = reinterpret_cast<Bytef*>(text.data() + before);
      stream_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      text.resize(text.size() - stream_.avail_out);
      if (text.size() > num_bytes) return false;
      if (status == Z_STREAM_END) break;
      if (status != Z_OK || text.size() == before) return false;
    }
    return text.size() == num_bytes && stream_.avail_in == 0;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

}  // namespace

bool LooksLikeZip(std::string_view bytes) {
  return bytes.starts_with(kMemberMagic) || bytes.starts_with(kEndMagic);
}

bool ZipArchive::HasMember(std::string_view bytes,
                           llvm::function_ref<bool(const Member&)> is_wanted) {
  if (!LooksLikeZip(bytes)) return false;
  Expected<ZipArchive> archive = Open(bytes);
  if (!archive) {
    llvm::consumeError(archive.takeError());
    return false;
  }
  return llvm::any_of(archive->members(), is_wanted);
}

Expected<ZipArchive> ZipArchive::Open(std::string_view bytes) {
  ZipArchive archive(bytes);
  if (Error error = archive.ReadDirectory()) return error;
  if (Error error = archive.CheckMembers()) return error;
  return archive;
}

Error ZipArchive::ReadDirectory() {
  const std::optional<size_t> end = FindEnd(bytes_);
  if (!end) return Cut();
  DirectoryPlace place{Read32(bytes_, *end + 16), Read32(bytes_, *end + 12),
                       Read16(bytes_, *end + 10)};
  if (place.offset == kSeeZip64 || place.size == kSeeZip64 || place.num_entries == kSeeZip64Short) {
    const std::optional<DirectoryPlace> place64 = FindZip64(bytes_, *end);
    if (!place64) return Cut();
    place = *place64;
  }
  const auto directory = Slice(bytes_.substr(0, *end), place.offset, place.size);
  if (!directory) return Cut();
  directory_offset_ = place.offset;

  std::string_view rest = *directory;
  for (uint64_t i = 0; i < place.num_entries; ++i) {
    if (rest.size() < kEntrySize || !rest.starts_with(kEntryMagic)) return Cut();
    const uint16_t flags = Read16(rest, 8);
    Member member;
    member.is_encrypted = (flags & kFlagEncrypted) != 0;
    member.has_descriptor = (flags & kFlagDescriptor) != 0;
    member.method = Read16(rest, 10);
    member.checksum = Read32(rest, 16);
    member.packed_bytes = Read32(rest, 20);
    member.unpacked_bytes = Read32(rest, 24);
    member.header_offset = Read32(rest, 42);
    const size_t name_size = Read16(rest, 28);
    const size_t extra_size = Read16(rest, 30);
    const size_t size = kEntrySize + name_size + extra_size + Read16(rest, 32);
    if (rest.size() < size) return Cut();
    member.name = rest.substr(kEntrySize, name_size);
    if (!ReadZip64Field(rest.substr(kEntrySize + name_size, extra_size), member)) return Cut();
    rest.remove_prefix(size);
    if (!IsSafeName(member.name)) {
      return MakeError("the archive is refused: its member " + Quoted(member.name) +
                       " has a name that leads out of it");
    }
    if (!member.name.ends_with('/')) members_.push_back(member);
  }
  if (!rest.empty()) {
    return MakeError("the archive is refused: its directory holds more than it announces");
  }
  return Error::success();
}

Error ZipArchive::CheckMembers() {
  const auto by_offset = [](const Member& left, const Member& right) {
    return left.header_offset < right.header_offset;
  };
  llvm::stable_sort(members_, by_offset);
  for (size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    const bool is_last = i + 1 == members_.size();
    member.end_offset = is_last ? directory_offset_ : members_[i + 1].header_offset;
    const uint64_t head = kMemberHeaderSize + member.name.size();
    if (member.end_offset < member.header_offset ||
        member.end_offset - member.header_offset < head ||
        member.end_offset - member.header_offset - head < member.packed_bytes) {
      return MakeError("the archive is refused: its member " + Quoted(member.name) +
                       " reaches into the one behind it or beyond the end");
    }
  }
  llvm::sort(members_,
             [](const Member& left, const Member& right) { return left.name < right.name; });
  for (size_t i = 1; i < members_.size(); ++i) {
    if (members_[i].name == members_[i - 1].name) {
      return MakeError("the archive is refused: it has two members named " +
                       Quoted(members_[i].name));
    }
  }
  return Error::success();
}

const ZipArchive::Member* ZipArchive::Find(std::string_view name) const {
  const auto at = llvm::lower_bound(
      members_, name,
      [](const Member& member, std::string_view wanted) { return member.name < wanted; });
  return at != members_.end() && at->name == name ? &*at : nullptr;
}

Expected<std::string_view> ZipArchive::FindData(const Member& member) const {
  const std::string_view place =
      bytes_.substr(member.header_offset, member.end_offset - member.header_offset);
  if (!place.starts_with(kMemberMagic)) {
    return MakeError("member " + Quoted(member.name) + " is damaged: it has no header");
  }
  const uint64_t data_offset = kMemberHeaderSize + Read16(place, 26) + Read16(place, 28);
  const auto data = Slice(place, data_offset, member.packed_bytes);
  if (!data || place.substr(kMemberHeaderSize, Read16(place, 26)) != member.name ||
      Read16(place, 8) != member.method) {
    return MakeError("member " + Quoted(member.name) +
                     " is refused: its header and the directory differ");
  }
  const uint32_t packed_bytes = Read32(place, 18);
  const uint32_t unpacked_bytes = Read32(place, 22);
  const bool is_reported =
      !member.has_descriptor && packed_bytes != kSeeZip64 && unpacked_bytes != kSeeZip64;
  if (is_reported &&
      (packed_bytes != member.packed_bytes || unpacked_bytes != member.unpacked_bytes)) {
    return MakeError("member " + Quoted(member.name) +
                     " is refused: its header and the directory disagree about its size");
  }
  return *data;
}

Expected<std::string_view> ZipArchive::Read(const Member& member) {
  const std::string what = "member " + Quoted(member.name);
  if (member.is_encrypted) return MakeError(what + " is encrypted");
  if (member.unpacked_bytes > kMaxMemberBytes ||
      member.unpacked_bytes > kMaxArchiveBytes - unpacked_bytes_) {
    return MakeError(what + " is refused: it unpacks to " + std::to_string(member.unpacked_bytes) +
                     " bytes, more than is ever needed here");
  }
  Expected<std::string_view> data = FindData(member);
  if (!data) return data.takeError();
  Expected<std::string_view> text = Inflate(member, *data);
  if (!text) return text.takeError();
  unpacked_bytes_ += text->size();
  const uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(text->data()), text->size());
  if (checksum != member.checksum) {
    return MakeError(what + " is damaged: its checksum does not fit");
  }
  return *text;
}

Expected<std::string_view> ZipArchive::Inflate(const Member& member, std::string_view packed) {
  const std::string what = "member " + Quoted(member.name);
  if (member.method == kStored) {
    if (packed.size() == member.unpacked_bytes) return packed;
    return MakeError(what + " is refused: it is stored, with two different sizes");
  }
  if (member.method != kDeflated) {
    return MakeError(what + " is packed by method " + std::to_string(member.method) +
                     ", which PyTorch does not use; stored and deflated ones are read");
  }
  if (member.unpacked_bytes / kMaxDeflateRatio > packed.size()) {
    return MakeError(what + " is refused: no " + std::to_string(packed.size()) +
                     " bytes unpack to " + std::to_string(member.unpacked_bytes));
  }
  std::string& text = unpacked_.emplace_back();
  if (!Inflater().Run(packed, member.unpacked_bytes, text)) {
    unpacked_.pop_back();
    return MakeError(what + " is damaged, or does not unpack to the " +
                     std::to_string(member.unpacked_bytes) + " bytes it announces");
  }
  return std::string_view(text);
}

}  // namespace shapewise
