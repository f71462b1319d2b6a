#include "renderer/scene/scene_document.h"

#include <algorithm>

namespace tl {

const Bookmark* find_bookmark(const Bookmarks& bookmarks, int number) {
    auto found = std::ranges::find(bookmarks, number, &Bookmark::number);
    return found == bookmarks.end() ? nullptr : &*found;
}

void set_bookmark(Bookmarks& bookmarks, const Bookmark& bookmark) {
    auto at = std::ranges::lower_bound(bookmarks, bookmark.number, {}, &Bookmark::number);
    if (at != bookmarks.end() && at->number == bookmark.number)
        *at = bookmark;
    else
        bookmarks.insert(at, bookmark);
}

}  // namespace tl
