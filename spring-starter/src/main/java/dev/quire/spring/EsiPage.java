package dev.quire.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * The caching policy of a handler's page, stored with its tags. Like {@link EsiFragment}, but its
 * body is always announced as an ESI document, even if none of our means wrote a tag.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@EsiFragment
public @interface EsiPage {

    /** As {@link EsiFragment#ttl()}. */
    @AliasFor(annotation = EsiFragment.class)
    String ttl() default "0s";

    /** As {@link EsiFragment#stale()}. */
    @AliasFor(annotation = EsiFragment.class)
    String stale() default "";

    /** As {@link EsiFragment#staleIfError()}. */
    @AliasFor(annotation = EsiFragment.class)
    String staleIfError() default "";

    /** As {@link EsiFragment#browser()}. */
    @AliasFor(annotation = EsiFragment.class)
    String browser() default "no-cache";

    /** As {@link EsiFragment#tags()}. */
    @AliasFor(annotation = EsiFragment.class)
    String[] tags() default {};

    /** As {@link EsiFragment#vary()}. */
    @AliasFor(annotation = EsiFragment.class)
    String[] vary() default {};

    /** As {@link EsiFragment#scope()}. */
    @AliasFor(annotation = EsiFragment.class)
    EsiFragment.Scope scope() default EsiFragment.Scope.PUBLIC;

    /** As {@link EsiFragment#name()}. */
    @AliasFor(annotation = EsiFragment.class)
    String name() default "";

    /** As {@link EsiFragment#timeout()}. */
    @AliasFor(annotation = EsiFragment.class)
    String timeout() default "";

    /**
     * Maximum number of fragments of the page, over all levels, when it is assembled in the
     * application; {@code quire.fallback.max-includes} if negative.
     */
    int maxIncludes() default -1;
}
