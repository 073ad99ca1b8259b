package dev.quire.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * How long a surrogate may keep the page that a handler writes, with its tags still in it. As
 * {@link EsiFragment}, and its body is announced as an ESI document whether or not a tag was
 * written by one of our own means.
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
     * Most fragments of the page, those of all levels together, when it is assembled in the
     * application; {@code quire.fallback.max-includes} if negative.
     */
    int maxIncludes() default -1;
}
