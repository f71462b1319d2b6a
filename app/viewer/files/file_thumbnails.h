// Thumbnails of pictures and scenes in the file browser. A background job reads the files; those
// that are read are kept in one texture, of which the least used give way.
#pragma once

#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/background_job.h"
#include "app/viewer/files/folder_listing.h"
#include "app/viewer/files/preferences.h"
#include "app/viewer/viewer_interface.h"

namespace tl {

class FileThumbnails final : public SectionState {
  public:
    static constexpr Extent kCell{96, 54};  ///< size of a thumbnail, centred and transparent around

    /// Whether a file of this name may have a thumbnail: a picture, or a scene file.
    [[nodiscard]] static bool may_show(const std::string& name);
    /// Thumbnail of an entry of a folder: of the picture itself, or of the picture that was last
    /// saved of the scene, or of a scene of the gallery. None for a file without one, and while it
    /// is read, which the first call starts.
    [[nodiscard]] std::optional<MenuPicture> picture(const std::string& folder,
                                                     const FolderEntry& entry,
                                                     const Preferences& preferences);
    /// Number of thumbnails that are kept.
    [[nodiscard]] std::size_t n_kept() const;

    bool poll(ViewerModel& model) override;
    void close() override { job_.drop(); }
    void forget() override;

  private:
    static constexpr int kColumns = 8, kRows = 16, kAtOnce = 8;
    static constexpr int kNoCell = -1;

    /// A picture's file, as of its last change.
    struct Source {
        std::string path;
        std::time_t changed = 0;
        bool operator==(const Source&) const = default;
    };
    struct Entry {
        Source source;
        int cell = kNoCell;      ///< its cell in the texture
        std::uint64_t used = 0;  ///< n_calls_ when it was last asked for
    };
    /// Pictures of one job; empty ones could not be read.
    struct Batch {
        std::vector<Source> sources;
        std::vector<Image8> thumbnails;
    };
    void start_reading();
    void keep(const Source& source, const Image8& thumbnail);
    [[nodiscard]] int take_cell();

    std::map<std::string, Entry> entries_;  ///< by the path of the picture
    std::vector<Source> wanted_;            ///< asked for and not read; the newest is last
    BackgroundJob<Batch> job_;
    std::uint64_t n_calls_ = 0;
};

/// A picture reduced to fit in `most`: means of its pixels; radiance is clipped at 1. Throws
/// UserError if the file cannot be read.
[[nodiscard]] Image8 thumbnail_of(const std::string& path, Extent most);

}  // namespace tl
