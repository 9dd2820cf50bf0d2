// Reads zip archives in memory: the directory at once, members on demand.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_ZIP_ARCHIVE_H_
#define SHAPEWISE_ANALYZER_SUPPORT_ZIP_ARCHIVE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "support/error.h"

namespace shapewise {

/// Whether `bytes` begin like a zip archive (including an empty or truncated one).
bool LooksLikeZip(std::string_view bytes);

/// An archive with stored and deflated members, zip64, data descriptors. Rejects archives that are
/// unsafe or inconsistent: names that lead outside, duplicate names, overlapping members, a
/// truncated directory. Source: APPNOTE.TXT 6.3.10.
class ZipArchive {
 public:
  /// Limits on unpacked bytes of one member, and of all members read from one archive.
  static constexpr uint64_t kMaxMemberBytes = uint64_t{256} << 20;
  static constexpr uint64_t kMaxArchiveBytes = uint64_t{1} << 30;

  struct Member {
    std::string_view name;        ///< into the archive's bytes
    uint64_t packed_bytes = 0;    ///< according to the directory
    uint64_t unpacked_bytes = 0;  ///< according to the directory; enforced when read
    uint64_t header_offset = 0;   ///< offset of the member's own header
    uint64_t end_offset = 0;      ///< start of the next member or the directory
    uint32_t checksum = 0;        ///< CRC-32 of the unpacked bytes
    uint16_t method = 0;          ///< 0 stored, 8 deflated
    bool is_encrypted = false;
    bool has_descriptor = false;  ///< sizes are after the data, not in the member's own header
  };

  /// Reads the directory of `bytes`, which must outlive the archive, but no members.
  static Expected<ZipArchive> Open(std::string_view bytes);

  /// Whether `bytes` are a readable archive with a member that `is_wanted` accepts.
  static bool HasMember(std::string_view bytes, llvm::function_ref<bool(const Member&)> is_wanted);

  /// All members except folders, in byte order of their names.
  const std::vector<Member>& members() const { return members_; }

  /// The member named `name`; null: none.
  const Member* Find(std::string_view name) const;

  /// The unpacked bytes of `member`; valid as long as the archive. Error: damaged, different from
  /// the directory, or larger than the limits.
  Expected<std::string_view> Read(const Member& member);

 private:
  explicit ZipArchive(std::string_view bytes) : bytes_(bytes) {}

  Error ReadDirectory();
  Error CheckMembers();
  Expected<std::string_view> FindData(const Member& member) const;
  Expected<std::string_view> Inflate(const Member& member, std::string_view packed);

  std::string_view bytes_;
  uint64_t directory_offset_ = 0;
  std::vector<Member> members_;
  std::deque<std::string> unpacked_;  // a deque never moves its elements
  uint64_t unpacked_bytes_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SUPPORT_ZIP_ARCHIVE_H_
