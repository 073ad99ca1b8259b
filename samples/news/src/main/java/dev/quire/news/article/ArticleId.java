package dev.quire.news.article;

import java.util.regex.Pattern;

/**
 * The identity of an article, as in its URL.
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

    /** Returns the path and query of the article's page. */
    public String url() {
        return "/main/read.nhn?oid=" + oid + "&aid=" + aid;
    }

    /** Whether these are well-formed; the article need not exist. */
    public static boolean isValid(String oid, String aid) {
        return OID.matcher(oid).matches() && AID.matcher(aid).matches();
    }
}
