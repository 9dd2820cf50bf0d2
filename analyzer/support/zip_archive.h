// Zip archives in memory: the directory is read, members are unpacked on demand, nothing is
// written.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_ZIP_ARCHIVE_H_
#define SHAPEWISE_ANALYZER_SUPPORT_ZIP_ARCHIVE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Whether `bytes` begin as a zip archive does (an empty or a cut one as well).
bool LooksLikeZip(std::string_view bytes);

/// One archive: stored and deflated members, zip64, data descriptors. What a careful reader must
/// not pass over refuses the whole archive: names that lead out of it, two members of one name,
/// members that overlap, a directory that is cut. Source: APPNOTE.TXT 6.3.10.
class ZipArchive {
 public:
  /// Unpacked bytes of one member, and of all members that are read from one archive.
  static constexpr uint64_t kMaxMemberBytes = uint64_t{256} << 20;
  static constexpr uint64_t kMaxArchiveBytes = uint64_t{1} << 30;

  struct Member {
    std::string_view name;        ///< into the archive's bytes
    uint64_t packed_bytes = 0;    ///< as the directory says
    uint64_t unpacked_bytes = 0;  ///< as the directory says; held to when it is read
    uint64_t header_offset = 0;   ///< of the member's own header
    uint64_t end_offset = 0;      ///< where the next member, or the directory, begins
    uint32_t checksum = 0;        ///< CRC-32 of the unpacked bytes
    uint16_t method = 0;          ///< 0 stored, 8 deflated
    bool is_encrypted = false;
    bool has_descriptor = false;  ///< sizes stand behind the data, not in the member's own header
  };

  /// Reads the directory of `bytes`, which must outlive the archive; members are not touched.
  static Expected<ZipArchive> Open(std::string_view bytes);

  /// Whether `bytes` are an archive that can be opened and has a member for which `is_wanted`.
  static bool HasMember(std::string_view bytes, llvm::function_ref<bool(const Member&)> is_wanted);

  /// All members but folders, in byte order of their names.
  const std::vector<Member>& members() const { return members_; }

  /// The member named `name`; null if there is none.
  const Member* Find(std::string_view name) const;

  /// The unpacked bytes of `member`; they live as long as the archive. Error: it is damaged, it
  /// is not what the directory says, or it unpacks to more than the limits allow.
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
