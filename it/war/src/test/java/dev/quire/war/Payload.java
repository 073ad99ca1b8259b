package dev.quire.war;

/** Attackers' input on a page that shows visitors' input. */
enum Payload {
    /** A tag. */
    INCLUDE("<esi:include src=\"" + Tomcat.CONTEXT + "/evil\"/>"),
    /** A tag in a wrapper. */
    WRAPPER("<!--esi <esi:include src=\"" + Tomcat.CONTEXT + "/evil\"/>-->"),
    /** An end tag for the page's open element. */
    END_TAG(
            "</esi:attempt><esi:except>x</esi:except></esi:try></esi:vars></esi:when></esi:remove>"),
    /** The end of a comment. */
    COMMENT_END("--><esi:include src=\"" + Tomcat.CONTEXT + "/evil\"/><!--"),
    /** The client's cookies. */
    REFERENCE("$(HTTP_COOKIE) <esi:vars>$(HTTP_COOKIE)</esi:vars>"),
    /** A valid stamp of an earlier response of this page. */
    OLD_STAMP(stamped("@page@")),
    /** A valid stamp of a fragment of this page. */
    STAMP_OF_FRAGMENT(stamped("@fragment@")),
    /** The application's own tag with one letter changed. */
    GUESSED_PLACEHOLDER(stamped(StampIT.PLACEHOLDER.replace('r', 's'))),
    /** A stamp that the attacker announces too. */
    OWN_CAPABILITY(stamped(StampIT.OWN_NONCE));

    private final String text;

    Payload(String text) {
        this.text = text;
    }

    /** Returns the text, for an attacker who knows these nonces. */
    String text(String ofPage, String ofFragment) {
        return text.replace("@page@", ofPage).replace("@fragment@", ofFragment);
    }

    private static String stamped(String nonce) {
        return "<esi:%1$s:include src=\"%2$s/evil\"/></esi:%1$s:try>$%1$s:(HTTP_COOKIE)"
                .formatted(nonce, Tomcat.CONTEXT);
    }
}
