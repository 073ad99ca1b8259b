package dev.quire.news.article;

import java.util.regex.Pattern;

/**
 * What names an article in an address.
 *
 * @param oid three digits of the newsroom that wrote it
 * @param aid ten digits, unique over all newsrooms
 */
public record ArticleId(String oid, String aid) {
    private static final Pattern OID = Pattern.compile("[0-9]{3}");
    private static final Pattern AID = Pattern.compile("[0-9]{10}");

    public ArticleId {
        if (!isValid(oid, aid)) {
            throw new IllegalArgumentException(
                    "expected oid of 3 and aid of 10 digits, found oid=" + oid + " aid=" + aid);
        }
    }

    /** The address of the page of the article of this name, from the root of the site. */
    public String url() {
        return "/main/read.nhn?oid=" + oid + "&aid=" + aid;
    }

    /** True for texts that can name an article; there need not be one of that name. */
    public static boolean isValid(String oid, String aid) {
        return OID.matcher(oid).matches() && AID.matcher(aid).matches();
    }
}
