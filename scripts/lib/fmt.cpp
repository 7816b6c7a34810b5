// What libfmt.a would hold. Debian has none, and fmt in headers would compile every other file with other flags.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// Headers declare these templates and leave them to the library.
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
#if FMT_VERSION / 10000 == 10
template FMT_API void vformat_to(buffer<char>&, string_view, vformat_args<>::type, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
