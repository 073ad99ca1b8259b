package dev.quire.war;

/** What an attacker writes where a page shows what visitors write. */
enum Payload {
    /** A tag. */
    INCLUDE("<esi:include src=\"" + Tomcat.CONTEXT + "/evil\"/>"),
    /** A tag in a wrapper. */
    WRAPPER("<!--esi <esi:include src=\"" + Tomcat.CONTEXT + "/evil\"/>-->"),
    /** The end of what the page has begun. */
    END_TAG(
            "</esi:attempt><esi:except>x</esi:except></esi:try></esi:vars></esi:when></esi:remove>"),
    /** The end of a comment. */
    COMMENT_END("--><esi:include src=\"" + Tomcat.CONTEXT + "/evil\"/><!--"),
    /** The reader's cookies. */
    REFERENCE("$(HTTP_COOKIE) <esi:vars>$(HTTP_COOKIE)</esi:vars>"),
    /** A stamp that has been good for this page. */
    OLD_STAMP(stamped("@page@")),
    /** A stamp that is good for a fragment of this page. */
    STAMP_OF_FRAGMENT(stamped("@fragment@")),
    /** What the application writes, but for one letter. */
    GUESSED_PLACEHOLDER(stamped(StampIT.PLACEHOLDER.replace('r', 's'))),
    /** A stamp of the attacker's own, which he announces himself. */
    OWN_CAPABILITY(stamped(StampIT.OWN_NONCE));

    private final String text;

    Payload(String text) {
        this.text = text;
    }

    /** The text, for one who has seen these nonces. */
    String text(String ofPage, String ofFragment) {
        return text.replace("@page@", ofPage).replace("@fragment@", ofFragment);
    }

    private static String stamped(String nonce) {
        return "<esi:%1$s:include src=\"%2$s/evil\"/></esi:%1$s:try>$%1$s:(HTTP_COOKIE)"
                .formatted(nonce, Tomcat.CONTEXT);
    }
}
